/* More DWARF than anything else, before and behind what is linked. */
asm(".section .debug_padding,\"\",@progbits\n"
    ".zero 20000\n"
    ".rept 2000\n"
    ".long counted\n"
    ".endr\n"
    ".previous");

int counted = 5;

__attribute__((section("socket"))) int count(struct __sk_buff* skb) {
  return skb->len + counted;
}
