// Lists that many findings share: all relocations in a function have the programs that call it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace bpflink {

/// An immutable list. Copies share its elements.
template <typename Element>
class SharedList {
 public:
  SharedList() = default;
  SharedList(std::vector<Element> elements)
      : elements_(elements.empty()
                      ? nullptr
                      : std::make_shared<const std::vector<Element>>(std::move(elements))) {}

  std::span<const Element> span() const {
    return elements_ ? std::span<const Element>(*elements_) : std::span<const Element>();
  }
  auto begin() const { return span().begin(); }
  auto end() const { return span().end(); }
  size_t size() const { return span().size(); }
  bool empty() const { return !elements_; }
  const Element& operator[](size_t index) const { return span()[index]; }
  /// The same for lists that share their elements; null for an empty one.
  const void* identity() const { return elements_.get(); }

  friend bool operator==(const SharedList& a, const std::vector<Element>& b) {
    return std::ranges::equal(a.span(), b);
  }

 private:
  std::shared_ptr<const std::vector<Element>> elements_;
};

/// Programs of an object, by name.
using ProgramList = SharedList<std::string_view>;

/// Makes equal lists of an object's programs one list.
class ProgramLists {
 public:
  /// The first list that had the same programs in the same order, or else this one.
  ProgramList share(const ProgramList& list);
  /// All programs of lists that share() has returned, each where it comes first.
  ProgramList merge(std::span<const ProgramList> lists);
  /// The programs in all lists together.
  size_t size() const { return size_; }

 private:
  /// Orders lists by the places of their names: an object has each name once.
  struct ByPlaces {
    bool operator()(const ProgramList& a, const ProgramList& b) const;
  };

  std::set<ProgramList, ByPlaces> lists_;
  std::map<std::vector<const void*>, ProgramList> merged_;  ///< by the identities of lists
  size_t size_ = 0;
};

}  // namespace bpflink
