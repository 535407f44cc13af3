"""What is to be computed: a convolution as a value, its quantization, and operands to try it on."""
