// Which helpers and kfuncs programs may call: what booted kernels said.
// Made by tests/core/calls.sh.
#include "linker/facts/call_tables.hpp"

namespace bpflink {

namespace {

// clang-format off

constexpr std::array<LinuxRelease, 5> releases = {{{5, 10}, {6, 1}, {6, 12}, {7, 2}, {7, 3}}};

constexpr std::array<std::string_view, 49> helpers = {{
    "aaa-aaaa---a-1a11----3--a---------a-2----a------------3------------------------aa-----aaa---aa----------11--3--aaaa-3a-2--1-a----aaaaa------3------!a---aa-33b-----bb---bbbb--b3b--3bb---bb---!--bb-bbbbbbb----bbcc",
    "aaa-aaaa---a-1a11----3--a---------a-2----a------------3------------------------aa-----aaa---aa------aaaaaa--3--aaaa-3a-2--1-a----aaaaa------3------!a---aa-33b-b---bb---bbbb--b3b--3bb---bb---!--bb-bbbbbbb----bbcc",
    "aaa-aaaa---a-1a11----3--a---------a-2----a------------3------------------------aa-----aaa---aa-a--------11aa3--aaaa-3a-2-11-a----aaaaa------3------!a---aa-33b-----bb---bbbb--b3b--3bb---bb---!--bb-bbbbbbb----bbcc",
    "aaa-aaaa---a-1a11----3--a---------a-2----a------1-----3-1----------------------aa-----aaa---aa-a--------11aa3--aaaa-3a-2-11-a----aaaaa------3------!a---aa-33b-----bb---bbbb--b3b--3bb---bb---!--bb-bbbbbbb----bbcc",
    "aaa-aaaa---a-2333----3------------a-3----a------1-----3-1----------------------2------aaa---aa----------11aa3--aaaaa3a-2--2-a----aaaaa------3------3a---aa-331-1---11---1111--131--311--------3--11-1111111----1122",
    "aaa-aaaa---a-2333----3---a--------a-3----a------------3------------------------2------aaa---aa----------11--3--aaaa-3a-2--2-a----aaaaa-aaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb--------!--bbbbbbbbbb----bbcc",
    "aaa-aaaa---a-2333----3---a--------a-3----a---1--------3------------a-----------2-a----aaa---aa----------11--3--aaaa-3a-2--2-a----aaaaa------3------!a---aa-33b-b---bb---bbbb--b3b--3bb--------!--bb-bbbbbbb----bbcc",
    "aaa-aaaa---a-2333----3--a---------a-3----a------------3------------------------2-----aaaa---aa----------11--3--aaaa-3a-2--2aa----aaaaa-aaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb--------!--bbbbbbbbbb----bbcc",
    "aaa-aaaa---a-2333----3--a---------a-3----a---a--a---a-3-a-a----------a---------2a-----aaa---aa-a--------11aa3--aaaa-3a-2-12-a----aaaaa-aaaaa3aaa---!a---aa-33b-b---bb---bbbb--b3bb-3bb--------!--bbbbbbbbbb----bbcc",
    "aaa-aaaa---a-2333----3--aa--------a-3----a---aa-------3------------a-----------2------aaa---aa----------11--3--aaaa-3a-2-32-a----aaaaa-aaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb--------!--bbbbbbbbbb----bbcc",
    "aaa-aaaa---a-2333----3--aa--------a-3----a---aa-------3------------a----------a2a-aaaaaaa---aaaaaaa-----11aa3--aaaa-3a-2-32-a--aaaaaaa-aaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb--------!--bbbbbbbbbb----bbcc",
    "aaa-aaaa---a-2333----3a-a--a------a-3----a-a------a--a3---------a---a----------2---aaaaaa---aa----aa----11--3a-aaaa-3a-2--2-a----aaaaa-aaaaa3------!a---aa-33b-b--bbb---bbbb--b3bb-3bb-----bbb!--bbbbbbbbbbbbbbbbcc",
    "aaa-aaaa---a-233a----3-aaa-a----aaa-3-*--a------------3------------------aaa---2------aaa---aa----------11--3--aaaa-3a-2--2-a----aaaaa-aaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb--------!--bbbbbbbbbb----bbcc",
    "aaa-aaaa---a-233a----3-aaa-a----aaa-3-a--a------------3------------------------2------aaa---aa----------11--3--aaaa-3a-2--2-a----aaaaa-aaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb--------!--bbbbbbbbbb----bbcc",
    "aaa-aaaa---a-233a----3-aaa-a----aaa-3-a--a------------3-----------------a------2------aaa---aa----------11--3--aaaa-3a-2--2-a----aaaaa-aaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb--------!--bbbbbbbbbb----bbcc",
    "aaa-aaaa---a-aa3a----3--a---------a-3----a------------3----aaaa-------a--------a------aaaaa-aa----------11aa3--aaaa-3a-2-1a-a----aaaaa-aaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb--------!--bbbbbbbbbb----bbcc",
    "aaa-aaaa---a-aaaa----3--a---------a-2----a---a--------3------------------------aa-----aaa---aa----------11a-3--aaaa-3a-2-aa-a----aaaaa------3------!a---aa-33b-b---bb---bbbb--b3b--3bb---bb---!--bb-bbbbbbb----bbcc",
    "aaa-aaaa---a-aaaa----3--a---------a-2----a---a--1-----3-1----------------------aa--aaaaaa---aa----a-----11aa3--aaaa-3a-2-aa-a----aaaaa-aaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb--------!--bbbbbbbbbb----bbcc",
    "aaa-aaaa---a-aaaa----3--a---------a-2----a---a--1-----3-1----------------------aa--aaaaaa---aa----a-----11aa3--aaaa-3a-2-aa-a----aaaaa-aaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb---bb---!--bbbbbbbbbb----bbcc",
    "aaa-aaaa---a-aaaa----3--a---------a-2----a---a--3-----3-3----------------------aa-----aaa---aa----------11a-3--aaaa-3a-2-aa-a----aaaaa------3------!a---aa-33b-b---bb---bbbb--b3b--3bb---bb---!--bb-bbbbbbb----bbcc",
    "aaa-aaaa---a-aaaa----3--a---------a-2----a---a--a-----3-a------a---------------aa--aaaaaa---aa----a-----11aa3--aaaa-3a-2-aa-a----aaaaa-aaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb---bb---!--bbbbbbbbbb----bbcc",
    "aaa-aaaaa--a-2333----3--aa--------a-3aa--aa--aa--a-a--3----------------a-------2---aaaaaa---aa----a-----11--3--aaaa-3a-2--2-a----aaaaa-aaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb--------!--bbbbbbbbbb----bbcc",
    "aaa-aaaaaaaaa233a--aa3aaaa-aaa--aaa-3aaaaaa-----------3-----------------a------2------aaa---aa----------11--3--aaaa-3a-2--2-a----aaaaaaaaaaa3------!a---aa-33b-b---bb---bbbb--b3bb-3bb--------!--bbbbbbbbbb----bbcc",
    "aaa-aaaaaaaaa233aaaaa3aaaa-aaaaaaaa-3aaaaaa--aaa-a----3----------a-aa---------a2--aaaaaaa---aaaaaaaa----11aa3a-aaaa-3a-2-32aa----aaaaaaaaaaa3------!a-aaaaa33b-b--bbb---bbbb--b3bb-3bb--------!b-bbbbbbbbbbbbbbbbcc",
    "aaaaaaaa---a-aaa3----a--a-a-------aaa----a--a---------a-----------a------------a------aaa---11----------11--a--aaaa-aa-a--1-a----aaaaa------a------!a---aa-bbb-----bb---bbbb-2bbb--bbb--------!--bb-bbbbbbb----bbcc",
    "aaaaaaaa---a-aaa3----a--a-a-------aaa----a--a---------a-----------a------------a------aaa---11----------11--a--aaaa-aa-a--1-a----aaaaa------a------!a---aa-bbb-----bb---bbbb-bbbb--bbb--------!--bb-bbbbbbb----bbcc",
    "aaaaaaaa---a-aaa3----a--a-a-------aaa----a--a---------a-----------a------------a------aaa---11----------11--a--aaaa-aa-a--1-a----aaaaa------a------!a---aa-bbb-----bb---bbbbbbbbb--bbb--------!--bb-bbbbbbb----bbcc",
    "aaaaaaaa---a-aaa3----a--a-a-------aaa----a--a---------aa----------a------------a------aaa---11----------11--a--aaaa-aaaa--1-a----aaaaa------a------!a---aa-bbb-----bb---bbbb-bbbb--bbb--------!--bb-bbbbbbb----bbcc",
    "aaaaaaaa---a-aaa3----a--a-a-------aaa----a--a1--*-----a-*---------a------------a------aaa---11----------1111a-aaaaa-aa-aa-1-aaa--aaaaa-aaaaaa-----*!aa--aa-bbb---b-bb---bbbbb-bbbb-bbb-----b--!--bbbbbbbbbb----bbcc",
    "aaaaaaaa---a-aaa3----a--a-a-------aaa----a--a1--*-----a-*---------a------------a------aaa---11----------1111a-aaaaa-aa-aa-1-aaa--aaaaa-aaaaaa-----*aaa--aa-bbb---b-bb---bbbbb-bbbb-bbb-----b--b--bbbbbbbbbb----bbcc",
    "aaaaaaaa---a-aaa3----a--a-a-------aaa----a--a1--------a-----------a------------a------aaa---11----------11**a-aaaaa-aa-aa-1-a----aaaaa-aaaaaa-----*!a---aa-bbb---b-bb---bbbbbbbbbb-bbbbbb--b--!--bbbbbbbbbb----bbcc",
    "aaaaaaaa---a-aaa3----a--a-a-------aaa----a--a1--------a-----------a------------a------aaa---11----------1111a-aaaaa-aa-aa-1-a----aaaaa-aaaaaa-----*!a---aa-bbb---b-bb---bbbbb2bbbb-bbb3-3--b--!--bbbbbbbbbb----bbcc",
    "aaaaaaaa---a-aaa3----a--a-a-------aaa----a--a1--------a-----------a------------a------aaa---11----------1111a-aaaaa-aa-aa-1-a----aaaaa-aaaaaa-----*!a---aa-bbb---b-bb---bbbbbbbbbb-bbbbbb--b--!--bbbbbbbbbb----bbcc",
    "aaaaaaaa---a-aaa3----a--a-a-------aaa----a--a1--------a-----------a------------a------aaa---11----------1111a-aaaaa-aa-aa-1-a----aaaaa-aaaaaa-----*aa---aa-bbb---b-bb---bbbbb3bbbb-bbb3-3--b--b--bbbbbbbbbb----bbdd",
    "aaaaaaaa---a-aaa3----a--a-a-------aaa----a--a1--------a-----------a------------a------aaa---11----------11aaa-aaaaa-aa-aa-1-a----aaaaa-aaaaaa---aa*!a---aa-bbbb-!b-bb---bbbb-bbbbb-bbbbbb--b--!-!bbbbbbbbbb----bbcc",
    "aaaaaaaa---a-aaa3----a--a-a-------aaa----a--a1--------a-----------a------------a------aaa---11----------11aaa-aaaaa-aa-aa-1-a----aaaaa-aaaaaa---aa*aa---aa-bbbb-bb-bb---bbbb-bbbbb-bbbbbb--b--b-bbbbbbbbbbb----bbcc",
    "bbbbbbbb---b-bbb3----b--b-b-------bbb----b--b---------b-----------b------------b------bbb---bb----------bb--b--bbbb-bb-b--b-b----bbbbb------b------bb---bb-bbb-----bb---bbbbbbbbb--bbb--------b--bb-bbbbbbb----bbcc",
    "bbbbbbbb---b-bbb3----b--b-b-------bbb----b--bb--*-----b-*---------b------------bb-----bbb---bb----------bbbbb-bbbbb-bb-bb-b-b----bbbbb-bbbbbb---bb*!b---bb-bbbb-*b-bb---bbbb--bbbb-bbb---bbb--!-*bbbbbbbbbb----bbcc",
    "bbbbbbbb---b-bbb3----b--b-b-------bbb----b--bb--------b-----------b------------b------bbb---bb----------bb**b-bbbbb-bb-bb-b-b----bbbbb-bbbbbb-----*bb---bb-bbb---b-bbbbbbbbb--bbbbbbbb-----b--b--bbbbbbbbbb----bbcc",
    "ccc-cccc---c-c333----3------------c-3----c------------3------------------------c------ccc---cc----------cc--3--cccc-3c-c--c-c----ccccc------3------!c---cc-33c-----cc---cccc--c3c--3cc--------!--cc-ccccccc----cccc",
    "ccc-cccc---c-cccc----3--c---------c-c----c---c--------3------------------------cc--cccccc---cc----c-----cccc3--cccc-3c-c-cc-c----ccccc-ccccc3------!c---cc-33c-c---cc---cccc--c3cc-3cc--------!--cccccccccc----cccc",
    "ccc-cccc---c-cccc----3--c---------c-c----c---c--c-----3-c----------------------cc--cccccc---cc----c-----cccc3--cccc-3c-c-cc-c----ccccc-ccccc3------!c---cc-33c-c---cc---cccc--c3cc-3cc--------!--cccccccccc----cccc",
    "ccc-cccc---c-cccc----3--c---------c-c----c---c--c-----3-c----------------------cc--cccccc---cc----c-----cccc3--cccc-3c-c-cc-c----ccccc-ccccc3------!c---cc-33c-c---cc---cccc--c3cc-3cc---cc---!--cccccccccc----cccc",
    "ddd-dddd---d-dddd----d------------d-d----d------------d------------------------d------ddd---dd----------dd--d--dddd-dd-d--d-d----ddddd------d------dd---dd-ddd-----dd---dddd--ddd--ddd--------d--dd-ddddddd----dddd",
    "dddddddd---d-dddd----d--d-d-------ddd----d--d---------d-----------d------------d------ddd---dd----------dd--d--dddd-dd-d--d-d----ddddd------d------dd---dd-ddd-----dd---dddd-dddd--ddd--------d--dd-ddddddd----dddd",
    "dddddddd---d-dddd----d--d-d-------ddd----d--dd--------d-----------d------------d------ddd---dd----------dd**d-ddddd-dd-dd-d-d----ddddd-dddddd-----*!d---dd-ddd---d-dd---dddddddddd-dddddd--d--!--dddddddddd----dddd",
    "dddddddd---d-dddd----d--d-d-------ddd----d--dd--------d-----------d------------d------ddd---dd----------dd**d-ddddd-dd-dd-d-d----ddddd-dddddd-----*dd---dd-ddd---d-dd---dddddddddd-dddddd--d--d--dddddddddd----dddd",
    "dddddddd---d-dddd----d--d-d-------ddd----d--dd--------d-----------d------------d------ddd---dd----------ddddd-ddddd-dd-dd-d-d----ddddd-dddddd-----*!d---dd-ddd---d-dd---dddddddddd-dddddd--d--!--dddddddddd----dddd",
    "dddddddd---d-dddd----d--d-d-------ddd----d--dd--------d-----------d------------d------ddd---dd----------ddddd-ddddd-dd-dd-d-d----ddddd-dddddd-----*dd---dd-ddd---d-dd---dddddddddd-dddddd--d--d--dddddddddd----dddd",
}};

constexpr std::array<ProgramCalls, 84> programs = {{
    {ProgramType{1}, 255, false, "", 'a', 9, 3},
    {ProgramType{2}, 0, false, "", 'a', 26, 0},
    {ProgramType{2}, 0, true, "", '1', 36, 15},
    {ProgramType{2}, 42, false, "", 'a', 26, 0},
    {ProgramType{2}, 42, true, "", '1', 36, 15},
    {ProgramType{2}, 48, false, "", 'a', 26, 0},
    {ProgramType{2}, 48, true, "", '1', 36, 15},
    {ProgramType{2}, 56, false, "", 'a', 26, 2},
    {ProgramType{2}, 56, true, "", '1', 36, 17},
    {ProgramType{2}, 57, false, "", 'a', 26, 1},
    {ProgramType{2}, 57, true, "", '1', 36, 16},
    {ProgramType{3}, 255, false, "", 'a', 23, 10},
    {ProgramType{4}, 255, false, "", 'a', 23, 4},
    {ProgramType{5}, 255, false, "", 'a', 25, 12},
    {ProgramType{5}, 255, true, "", '3', 44, 25},
    {ProgramType{6}, 255, false, "", 'a', 11, 9},
    {ProgramType{7}, 255, false, "", 'a', 27, 12},
    {ProgramType{8}, 255, false, "", 'a', 10, 7},
    {ProgramType{9}, 2, false, "", 'a', 19, 7},
    {ProgramType{9}, 12, false, "", 'a', 16, 7},
    {ProgramType{9}, 13, false, "", 'a', 16, 7},
    {ProgramType{9}, 34, false, "", 'a', 16, 7},
    {ProgramType{10}, 255, false, "", 'a', 14, 3},
    {ProgramType{11}, 255, false, "", 'a', 13, 3},
    {ProgramType{12}, 255, false, "", 'a', 22, 3},
    {ProgramType{13}, 255, false, "", 'a', 8, 5},
    {ProgramType{14}, 255, false, "", 'a', 21, 3},
    {ProgramType{15}, 255, false, "", 'a', 0, 7},
    {ProgramType{16}, 255, false, "", 'a', 15, 0},
    {ProgramType{17}, 255, false, "", 'a', 24, 6},
    {ProgramType{17}, 255, true, "", '3', 44, 25},
    {ProgramType{18}, 8, false, "", 'a', 18, 7},
    {ProgramType{18}, 9, false, "", 'a', 18, 7},
    {ProgramType{18}, 10, false, "", 'a', 20, 7},
    {ProgramType{18}, 11, false, "", 'a', 20, 7},
    {ProgramType{18}, 14, false, "", 'a', 18, 7},
    {ProgramType{18}, 15, false, "", 'a', 18, 7},
    {ProgramType{18}, 19, false, "", 'a', 17, 7},
    {ProgramType{18}, 20, false, "", 'a', 17, 7},
    {ProgramType{18}, 29, false, "", 'a', 17, 7},
    {ProgramType{18}, 30, false, "", 'a', 17, 7},
    {ProgramType{18}, 31, false, "", 'a', 17, 7},
    {ProgramType{18}, 32, false, "", 'a', 17, 7},
    {ProgramType{18}, 49, false, "", 'c', 42, 8},
    {ProgramType{18}, 50, false, "", 'c', 42, 8},
    {ProgramType{18}, 51, false, "", 'c', 41, 8},
    {ProgramType{18}, 52, false, "", 'c', 40, 8},
    {ProgramType{18}, 53, false, "", 'c', 40, 8},
    {ProgramType{19}, 255, false, "", 'a', 12, 3},
    {ProgramType{21}, 255, false, "", 'a', 6, 0},
    {ProgramType{22}, 255, false, "", 'a', 5, 0},
    {ProgramType{23}, 255, false, "", 'a', 1, 7},
    {ProgramType{24}, 255, false, "", 'a', 24, 0},
    {ProgramType{25}, 21, false, "", 'a', 2, 7},
    {ProgramType{25}, 22, false, "", 'a', 3, 7},
    {ProgramType{26}, 23, false, "", 'a', 31, 13},
    {ProgramType{26}, 23, true, "", '*', 33, 24},
    {ProgramType{26}, 24, false, "", 'a', 32, 13},
    {ProgramType{26}, 24, true, "", 'd', 48, 25},
    {ProgramType{26}, 25, false, "", 'a', 32, 13},
    {ProgramType{26}, 25, true, "", 'd', 48, 25},
    {ProgramType{26}, 26, false, "", 'a', 30, 13},
    {ProgramType{26}, 26, true, "", 'd', 46, 25},
    {ProgramType{26}, 28, false, "", 'a', 28, 14},
    {ProgramType{26}, 28, true, "", 'a', 29, 19},
    {ProgramType{26}, 58, false, "", 'd', 47, 22},
    {ProgramType{26}, 58, true, "", '3', 48, 26},
    {ProgramType{26}, 59, false, "", 'd', 45, 21},
    {ProgramType{26}, 59, true, "", '3', 46, 25},
    {ProgramType{26}, 60, false, "", 'd', 45, 21},
    {ProgramType{26}, 60, true, "", '3', 46, 25},
    {ProgramType{26}, 61, false, "", 'd', 45, 22},
    {ProgramType{26}, 61, true, "", '3', 46, 26},
    {ProgramType{27}, 0, false, "Qdisc_ops", 'd', 43, 27},
    {ProgramType{27}, 0, false, "io_uring_bpf_ops", 'd', 43, 23},
    {ProgramType{27}, 0, false, "sched_ext_ops", 'd', 43, 30},
    {ProgramType{27}, 0, false, "sched_ext_ops_cid", 'd', 43, 29},
    {ProgramType{27}, 0, false, "tcp_congestion_ops", 'a', 4, 18},
    {ProgramType{29}, 27, false, "", 'a', 34, 11},
    {ProgramType{29}, 43, false, "", 'b', 37, 11},
    {ProgramType{29}, 255, true, "", 'a', 35, 20},
    {ProgramType{30}, 255, false, "", 'a', 7, 0},
    {ProgramType{31}, 255, true, "", 'b', 38, 28},
    {ProgramType{32}, 255, false, "", 'c', 39, 3},
}};

constexpr std::array<KfuncCalls, 53> kfuncs = {{
    {"!!!!!!!!!!!!!!!cccccc!!dddddcdd",
     "bpf_copy_from_user_str"},
    {"!!!!!!!!!!!!!!!dddddd!!dddddddd",
     "bpf_copy_from_user_dynptr bpf_copy_from_user_str_dynptr bpf_copy_from_user_task_dynptr "
     "bpf_copy_from_user_task_str bpf_copy_from_user_task_str_dynptr bpf_iter_dmabuf_destroy "
     "bpf_iter_dmabuf_new bpf_iter_dmabuf_next bpf_iter_kmem_cache_destroy "
     "bpf_iter_kmem_cache_new bpf_iter_kmem_cache_next bpf_mem_cgroup_flush_stats"},
    {"*******************************",
     "bpf_xdp_metadata_rx_hash bpf_xdp_metadata_rx_timestamp bpf_xdp_metadata_rx_vlan_tag "
     "scx_bpf_sub_caps scx_bpf_sub_grant scx_bpf_sub_revoke"},
    {"-----!!!!!!*!**---3bb!!dbddd3dd",
     "bpf_lookup_user_key bpf_verify_pkcs7_signature"},
    {"------!----!!!!----dd!!-ddd----",
     "css_rstat_flush"},
    {"-----------!!!!----cc*******-**",
     "cgroup_rstat_flush"},
    {"-----------!--------c----------",
     "bpf_get_dentry_xattr bpf_get_file_xattr"},
    {"-----------!--------d----------",
     "bpf_real_data_inode bpf_remove_dentry_xattr bpf_set_dentry_xattr"},
    {"-----------!--------e-------e--",
     "bpf_ksock_send"},
    {"-------------------------------",
     "bpf_fentry_test1 bpf_modify_return_test bpf_modify_return_test2 bpf_qdisc_init_prologue "
     "bpf_qdisc_reset_destroy_epilogue"},
    {"------------------------------d",
     "scx_bpf_reenqueue_local"},
    {"-----------------------------dd",
     "__scx_bpf_dsq_insert_vtime scx_bpf_cid_override scx_bpf_dispatch_cancel "
     "scx_bpf_dispatch_nr_slots scx_bpf_dsq_insert scx_bpf_dsq_insert___v2 "
     "scx_bpf_dsq_insert_vtime scx_bpf_dsq_move_to_local scx_bpf_dsq_move_to_local___v2 "
     "scx_bpf_sub_dispatch"},
    {"----------------------------c--",
     "bpf_crypto_ctx_acquire bpf_crypto_ctx_create bpf_crypto_ctx_release"},
    {"----------------------------d--",
     "bpf_wakeup_sources_get_head bpf_wakeup_sources_read_lock bpf_wakeup_sources_read_unlock"},
    {"----------------------------d-d",
     "__scx_bpf_select_cpu_and scx_bpf_select_cpu_and scx_bpf_select_cpu_dfl"},
    {"----------------------------ddd",
     "scx_bpf_create_dsq scx_bpf_dsq_move scx_bpf_dsq_move_set_slice "
     "scx_bpf_dsq_move_set_vtime scx_bpf_dsq_move_vtime"},
    {"----------------------------e--",
     "bpf_ksock_connect bpf_ksock_create"},
    {"---------------------------d---",
     "bpf_kfree_skb bpf_qdisc_bstats_update bpf_qdisc_skb_drop bpf_qdisc_watchdog_schedule "
     "bpf_skb_get_hash"},
    {"------------------1----d---d-dd",
     "tcp_cong_avoid_ai tcp_reno_cong_avoid tcp_reno_ssthresh tcp_reno_undo_cwnd "
     "tcp_slow_start"},
    {"------------------b----d---d-dd",
     "cubictcp_acked cubictcp_cong_avoid cubictcp_init cubictcp_recalc_ssthresh cubictcp_state"},
    {"------------------c--*******-**",
     "cubictcp_cwnd_event"},
    {"------------------d----d---d-dd",
     "bpf_io_uring_get_region bpf_io_uring_submit_sqes cubictcp_cwnd_event_tx_start"},
    {"--------------c----c-----------",
     "bpf_sock_destroy"},
    {"-----------c--------c----------",
     "bpf_get_fsverity_digest bpf_get_task_exe_file bpf_path_d_path bpf_put_file"},
    {"-----------cccc----cc*******-**",
     "cgroup_rstat_updated"},
    {"-----------e--------e----------",
     "bpf_sock_read_xattr"},
    {"-----------e--------e-------e--",
     "bpf_ksock_acquire bpf_ksock_release"},
    {"----------c--------------------",
     "bpf_sk_assign_tcp_reqsk"},
    {"---------c---------------------",
     "bpf_dynptr_from_xdp bpf_xdp_get_xfrm_state bpf_xdp_xfrm_state_release"},
    {"---------d---------------------",
     "bpf_xdp_pull_data"},
    {"------3----cccc---cccdddddddcdd",
     "bpf_cpumask_acquire bpf_cpumask_and bpf_cpumask_any_and_distribute "
     "bpf_cpumask_any_distribute bpf_cpumask_clear bpf_cpumask_clear_cpu bpf_cpumask_copy "
     "bpf_cpumask_create bpf_cpumask_empty bpf_cpumask_equal bpf_cpumask_first "
     "bpf_cpumask_first_and bpf_cpumask_first_zero bpf_cpumask_full bpf_cpumask_intersects "
     "bpf_cpumask_or bpf_cpumask_release bpf_cpumask_set_cpu bpf_cpumask_setall "
     "bpf_cpumask_subset bpf_cpumask_test_and_clear_cpu bpf_cpumask_test_and_set_cpu "
     "bpf_cpumask_test_cpu bpf_cpumask_weight bpf_cpumask_xor"},
    {"------3---bb2bb----bbdd-bdd-b--",
     "bpf_kfunc_call_memb_release bpf_kfunc_call_test_release"},
    {"------d----dddd---*dddd*ddd*ddd",
     "scx_bpf_cid_to_cpu scx_bpf_cid_topo scx_bpf_cpu_to_cid"},
    {"------d----dddd----dddd-ddd----",
     "css_rstat_updated"},
    {"------d----dddd----dddd-ddd-d-d",
     "scx_bpf_cpu_curr scx_bpf_cpu_node scx_bpf_cpu_rq scx_bpf_cpuperf_cap scx_bpf_cpuperf_cur "
     "scx_bpf_cpuperf_set scx_bpf_get_idle_cpumask scx_bpf_get_idle_cpumask_node "
     "scx_bpf_get_idle_smtmask scx_bpf_get_idle_smtmask_node scx_bpf_get_online_cpumask "
     "scx_bpf_get_possible_cpumask scx_bpf_kick_cpu scx_bpf_pick_any_cpu "
     "scx_bpf_pick_any_cpu_node scx_bpf_pick_idle_cpu scx_bpf_pick_idle_cpu_node "
     "scx_bpf_put_cpumask scx_bpf_put_idle_cpumask scx_bpf_task_cpu "
     "scx_bpf_test_and_clear_cpu_idle"},
    {"------d----dddd----dddd-ddd-ddd",
     "bpf_iter_scx_dsq_destroy bpf_iter_scx_dsq_new bpf_iter_scx_dsq_next scx_bpf_cid_curr "
     "scx_bpf_cidperf_cap scx_bpf_cidperf_cur scx_bpf_cidperf_set scx_bpf_destroy_dsq "
     "scx_bpf_dsq_nr_queued scx_bpf_dsq_peek scx_bpf_dsq_reenq scx_bpf_dump_bstr "
     "scx_bpf_error_bstr scx_bpf_events scx_bpf_exit_bstr scx_bpf_kick_cid scx_bpf_locked_rq "
     "scx_bpf_now scx_bpf_nr_cids scx_bpf_nr_cpu_ids scx_bpf_nr_node_ids "
     "scx_bpf_nr_online_cids scx_bpf_reenqueue_local___v2 scx_bpf_task_cgroup scx_bpf_task_cid "
     "scx_bpf_task_running scx_bpf_task_set_dsq_vtime scx_bpf_task_set_slice scx_bpf_this_cid "
     "scx_bpf_tid_to_task"},
    {"------d----dddd---ddddddddddddd",
     "bpf_cpumask_populate"},
    {"------e----eeee----eeee-eee-eee",
     "scx_bpf_online_cmask scx_bpf_sub_kill_bstr"},
    {"-----3-cc----------------------",
     "bpf_sock_addr_set_sun_path"},
    {"-----332c22b2bb---2bbdddbddd2dd",
     "crash_kexec"},
    {"-----333333b2bb---3bbdddbddd3dd",
     "bpf_key_put bpf_lookup_system_key"},
    {"-----33cccccccc---cccdddddddcdd",
     "bpf_cgroup_acquire bpf_cgroup_ancestor bpf_cgroup_from_id bpf_cgroup_release "
     "bpf_list_pop_back bpf_list_pop_front bpf_list_push_back_impl bpf_list_push_front_impl "
     "bpf_obj_drop_impl bpf_obj_new_impl bpf_percpu_obj_drop_impl bpf_percpu_obj_new_impl "
     "bpf_rbtree_add_impl bpf_rbtree_first bpf_rbtree_remove bpf_refcount_acquire_impl "
     "bpf_task_acquire bpf_task_from_pid bpf_task_get_cgroup1 bpf_task_release "
     "bpf_task_under_cgroup bpf_throw"},
    {"-----d-dd----------------------",
     "bpf_sock_ops_enable_tx_tstamp"},
    {"-----dddddddddd---ddddddddddddd",
     "bpf_list_add bpf_list_back bpf_list_del bpf_list_empty bpf_list_front bpf_list_is_first "
     "bpf_list_is_last bpf_list_push_back bpf_list_push_front bpf_obj_drop bpf_obj_new "
     "bpf_percpu_obj_drop bpf_percpu_obj_new bpf_rbtree_add bpf_rbtree_left bpf_rbtree_right "
     "bpf_rbtree_root bpf_refcount_acquire bpf_send_signal_task bpf_task_from_vpid"},
    {"-----e-ee----------------------",
     "bpf_icmp_send"},
    {"----c----cc--------------------",
     "bpf_crypto_decrypt bpf_crypto_encrypt"},
    {"----d-----d--------------------",
     "bpf_dynptr_from_skb_meta"},
    {"---cc33cc-ccccc----ccdd-dddd---",
     "bpf_dynptr_from_skb"},
    {"-3c-------------3c----d---d----",
     "bpf_session_cookie bpf_session_is_return"},
    {"DDDDDDDDDDDDDDDccccccdddddddcdd",
     "bpf_arena_alloc_pages bpf_arena_free_pages"},
    {"ccccccccccccccccccccc*******c**",
     "bpf_wq_set_callback_impl"},
    {"cccccccccccccccccccccdddddddcdd",
     "bpf_cast_to_kern_ctx bpf_dynptr_adjust bpf_dynptr_clone bpf_dynptr_is_null "
     "bpf_dynptr_is_rdonly bpf_dynptr_size bpf_dynptr_slice bpf_dynptr_slice_rdwr "
     "bpf_iter_bits_destroy bpf_iter_bits_new bpf_iter_bits_next bpf_iter_css_destroy "
     "bpf_iter_css_new bpf_iter_css_next bpf_iter_css_task_destroy bpf_iter_css_task_new "
     "bpf_iter_css_task_next bpf_iter_num_destroy bpf_iter_num_new bpf_iter_num_next "
     "bpf_iter_task_destroy bpf_iter_task_new bpf_iter_task_next bpf_iter_task_vma_destroy "
     "bpf_iter_task_vma_new bpf_iter_task_vma_next bpf_map_sum_elem_count "
     "bpf_modify_return_test_tp bpf_preempt_disable bpf_preempt_enable bpf_rcu_read_lock "
     "bpf_rcu_read_unlock bpf_rdonly_cast bpf_wq_init bpf_wq_start"},
    {"ddddddddddddddddddddddddddddddd",
     "__bpf_trap bpf_arena_reserve_pages bpf_cgroup_read_xattr bpf_dynptr_copy "
     "bpf_dynptr_file_discard bpf_dynptr_from_file bpf_dynptr_memset bpf_get_kmem_cache "
     "bpf_get_mem_cgroup bpf_get_root_mem_cgroup bpf_local_irq_restore bpf_local_irq_save "
     "bpf_mem_cgroup_memory_events bpf_mem_cgroup_page_state bpf_mem_cgroup_usage "
     "bpf_mem_cgroup_vm_events bpf_probe_read_kernel_dynptr bpf_probe_read_kernel_str_dynptr "
     "bpf_probe_read_user_dynptr bpf_probe_read_user_str_dynptr bpf_put_mem_cgroup "
     "bpf_res_spin_lock bpf_res_spin_lock_irqsave bpf_res_spin_unlock "
     "bpf_res_spin_unlock_irqrestore bpf_strcasecmp bpf_strcasestr bpf_strchr bpf_strchrnul "
     "bpf_strcmp bpf_strcspn bpf_stream_print_stack bpf_stream_vprintk bpf_strlen "
     "bpf_strncasecmp bpf_strncasestr bpf_strnchr bpf_strnlen bpf_strnstr bpf_strrchr "
     "bpf_strspn bpf_strstr bpf_task_work_schedule_resume bpf_task_work_schedule_signal "
     "bpf_timer_cancel_async bpf_wq_set_callback"},
}};

// clang-format on

}  // namespace

constinit const CallTables call_tables{releases, helpers, programs, kfuncs};

}  // namespace bpflink
