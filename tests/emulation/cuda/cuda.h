/* TVM includes it; nothing in it is used. */
