// Runs a network's library by TVM's runtime: raw inputs from files, raw outputs to files.
//
//     tvm-directconv compile squeezenet -o squeezenet.so
//     TVM=$(python -c 'import pathlib, tvm; print(pathlib.Path(tvm.__file__).parent)')
//     c++ -std=c++17 -O2 main.cc -o network $(tvm-ffi-config --cxxflags) $(tvm-ffi-config --ldflags)
//         -L$TVM/lib -Wl,--no-as-needed -ltvm_runtime -Wl,-rpath,$TVM/lib $(tvm-ffi-config --libs)
//         -Wl,-rpath,$(tvm-ffi-config --libdir)
//     ./network squeezenet.so float32 1x3x224x224 image.bin -- result.bin
//
// Behind the library stand type, shape and file of each input, and behind -- a file for each output, as numpy's tofile
// writes them.

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ffi = tvm::ffi;

namespace {

constexpr size_t kAlignment = 64;  // kernels may take it for granted
constexpr int kPooled = 2;         // the virtual machine's allocator that keeps memory for the next run

struct Memory {
  void AllocData(DLTensor* tensor) {
    const size_t bytes = (ffi::GetDataSize(*tensor) + kAlignment - 1) / kAlignment * kAlignment;
    tensor->data = std::aligned_alloc(kAlignment, bytes);
    if (tensor->data == nullptr) throw std::bad_alloc();
  }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
};

ffi::Shape ParseShape(const std::string& text) {
  std::vector<int64_t> extents;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, 'x');) extents.push_back(std::stoll(word));
  return ffi::Shape(extents);
}

ffi::Tensor ReadTensor(const std::string& type, const std::string& shape, const char* path) {
  ffi::Tensor tensor = ffi::Tensor::FromNDAlloc(Memory(), ParseShape(shape), ffi::StringToDLDataType(type),
                                                DLDevice{kDLCPU, 0});
  const auto bytes = static_cast<std::streamsize>(ffi::GetDataSize(*tensor.GetDLTensorPtr()));
  std::ifstream file(path, std::ios::binary);
  file.read(static_cast<char*>(tensor.data_ptr()), bytes);
  if (file.gcount() != bytes || file.peek() != EOF) {
    throw std::runtime_error(std::string("not the input's size: ") + path);
  }
  return tensor;
}

void WriteTensor(const ffi::Tensor& tensor, const char* path) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(tensor.data_ptr()), ffi::GetDataSize(*tensor.GetDLTensorPtr()));
  if (!file) throw std::runtime_error(std::string("cannot write ") + path);
}

int Run(int argc, char** argv) {
  // The dynamic loader looks for a bare name elsewhere.
  ffi::Module library = ffi::Module::LoadFromFile(std::filesystem::absolute(argv[1]).string());
  ffi::Module machine = library->GetFunction("vm_load_executable").value()().cast<ffi::Module>();
  machine->GetFunction("vm_initialization").value()(static_cast<int>(kDLCPU), 0, kPooled);
  ffi::Function network = machine->GetFunction("main").value();

  std::vector<ffi::AnyView> inputs;
  std::vector<ffi::Tensor> owned;
  int next = 2;
  for (; next + 2 < argc && std::string(argv[next]) != "--"; next += 3) {
    owned.push_back(ReadTensor(argv[next], argv[next + 1], argv[next + 2]));
  }
  if (next < argc && std::string(argv[next]) == "--") ++next;
  for (const ffi::Tensor& tensor : owned) inputs.emplace_back(tensor);
  ffi::Any result;
  network.CallPacked(inputs.data(), static_cast<int>(inputs.size()), &result);

  std::vector<ffi::Tensor> outputs;
  if (auto one = result.as<ffi::Tensor>()) {
    outputs.push_back(*one);
  } else {
    for (const ffi::Tensor& each : result.cast<ffi::Array<ffi::Tensor>>()) outputs.push_back(each);
  }
  if (static_cast<int>(outputs.size()) != argc - next) throw std::runtime_error("as many files as outputs are needed");
  for (size_t i = 0; i < outputs.size(); ++i) WriteTensor(outputs[i], argv[next + i]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: network LIBRARY [TYPE SHAPE INPUT]... -- OUTPUT...\n";
    return 2;
  }
  try {
    return Run(argc, argv);
  } catch (const ffi::Error& error) {
    std::cerr << "network: " << error.what() << "\n";
  } catch (const std::exception& error) {
    std::cerr << "network: " << error.what() << "\n";
  }
  return 1;
}
