"""winograd_nhwc: convolutions by Winograd's minimal filtering, blocks of tiles at a time."""
