/* Data that nobody copies who need not. */
const char large[20000] = {1};
