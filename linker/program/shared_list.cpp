#include "linker/program/shared_list.hpp"

#include <functional>
#include <unordered_set>

namespace bpflink {

bool ProgramLists::ByPlaces::operator()(const ProgramList& a, const ProgramList& b) const {
  auto place = [](std::string_view name) { return name.data(); };
  return std::ranges::lexicographical_compare(a.span(), b.span(), std::less<>(), place, place);
}

ProgramList ProgramLists::share(const ProgramList& list) {
  if (list.empty()) return list;
  auto [known, is_new] = lists_.insert(list);
  if (is_new) size_ += list.size();
  return *known;
}

ProgramList ProgramLists::merge(std::span<const ProgramList> lists) {
  std::vector<const void*> key;
  for (const ProgramList& list : lists)
    if (!list.empty()) key.push_back(list.identity());
  if (key.empty()) return {};
  auto [known, is_new] = merged_.try_emplace(std::move(key));
  if (!is_new) return known->second;
  std::unordered_set<std::string_view> seen;
  std::vector<std::string_view> names;
  for (const ProgramList& list : lists)
    for (std::string_view name : list)
      if (seen.insert(name).second) names.push_back(name);
  return known->second = share(ProgramList(std::move(names)));
}

}  // namespace bpflink
