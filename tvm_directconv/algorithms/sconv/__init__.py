"""sconv: tiled convolution whose tiles are sized and ordered by Convolution Slicing Analysis."""
