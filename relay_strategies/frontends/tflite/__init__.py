"""TensorFlow Lite networks, through TVM's own importer: imported only when a model is one."""
