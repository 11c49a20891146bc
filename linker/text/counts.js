"use strict";
// Numbers in the sentences of all pages, as count_of() and agree() of dedup/messages.hpp.
const grouped = new Intl.NumberFormat("en");
const count = number => grouped.format(number);
const agree = (number, one, several) => number === 1 ? one : several;
const countOf = (number, word) => `${count(number)} ${word}${agree(number, "", "s")}`;
