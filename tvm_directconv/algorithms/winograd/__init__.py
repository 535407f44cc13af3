"""winograd_nhwc: 3x3 convolutions by Winograd's minimal filtering, blocks of tiles at a time."""
