/* Runs a network that DeviceModel.export wrote, on the first GPU of this machine's OpenCL, else on its first device.

   cc -O2 run_network.c -lOpenCL -o run_network
   ./run_network FOLDER [INPUT.bin ...]

   Inputs are raw files, as numpy's tofile writes them, in the network's order; an input without a file is zeros.
   Outputs are written to output0.bin and so on in the current folder, and their first values are printed. Any host does the same: make a program of the source, a buffer for each entry of
   "buffers", fill those with an offset from the weights, and launch the steps in order. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "json.h"

#define SHOWN 5

static void check(cl_int error, const char *what) {
    char code[32];
    snprintf(code, sizeof code, "OpenCL error %d", (int)error);
    if (error != CL_SUCCESS) fail(what, code);
}

/* The bytes of a file, with a null behind them. */
static char *read_file(const char *folder, const char *name, size_t *size) {
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
    FILE *file = fopen(path, "rb");
    if (!file) fail("cannot read", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = allocate(*size + 1);
    if (fread(bytes, 1, *size, file) != *size) fail("cannot read", path);
    fclose(file);
    return bytes;
}

static cl_device_id choose_device(void) {
    cl_platform_id platforms[16];
    cl_device_id device;
    cl_uint count = 0;
    cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL};
    check(clGetPlatformIDs(16, platforms, &count), "no OpenCL platform");
    for (int type = 0; type < 2; type++)
        for (cl_uint at = 0; at < count && at < 16; at++)
            if (clGetDeviceIDs(platforms[at], types[type], 1, &device, NULL) == CL_SUCCESS) return device;
    fail("no OpenCL device", "");
    return NULL;
}

static cl_program build(cl_context context, cl_device_id device, const char *source, size_t length) {
    static char log[8192];
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, &length, &error);
    check(error, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fail("the device refuses the kernels", log);
    }
    return program;
}

static cl_mem *make_buffers(cl_context context, const Json *list, char *weights, size_t length) {
    cl_mem *buffers = allocate(json_count(list) * sizeof *buffers);
    size_t number = 0;
    for (const Json *item = list->first; item; item = item->next, number++) {
        size_t size = json_size(item, "bytes");
        const Json *offset = json_find(item, "offset");
        cl_mem_flags flags = CL_MEM_READ_WRITE;
        char *host = NULL;
        cl_int error;
        if (offset && size) {
            if ((size_t)offset->number + size > length) fail("the weights are cut short", "");
            flags |= CL_MEM_COPY_HOST_PTR;
            host = weights + (size_t)offset->number;
        }
        buffers[number] = clCreateBuffer(context, flags, size ? size : 1, host, &error);
        check(error, "clCreateBuffer");
    }
    return buffers;
}

static void launch(cl_command_queue queue, cl_program program, const Json *step, const cl_mem *buffers) {
    cl_int error;
    cl_uint position = 0;
    size_t global[3], local[3];
    cl_kernel kernel = clCreateKernel(program, json_text(step, "kernel"), &error);
    check(error, json_text(step, "kernel"));
    for (const Json *item = json_get(step, "buffers")->first; item; item = item->next)
        check(clSetKernelArg(kernel, position++, sizeof(cl_mem), &buffers[(size_t)item->number]), "clSetKernelArg");
    const Json *items = json_get(step, "global")->first, *group = json_get(step, "local")->first;
    for (int axis = 0; axis < 3; axis++, items = items->next, group = group->next) {
        global[axis] = (size_t)items->number;
        local[axis] = (size_t)group->number;
    }
    check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL), json_text(step, "kernel"));
    clReleaseKernel(kernel);
}

static void show(const Json *tensor, const char *bytes, size_t size, int number) {
    char path[32];
    snprintf(path, sizeof path, "output%d.bin", number);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) fail("cannot write", path);
    printf("%s:", json_text(tensor, "name"));
    if (strcmp(json_text(tensor, "dtype"), "float32") == 0)
        for (size_t at = 0; at < SHOWN && at < size / sizeof(float); at++) {
            float value;
            memcpy(&value, bytes + at * sizeof value, sizeof value);
            printf(" %.9g", value);
        }
    printf("\n");
}

int main(int count, char **words) {
    if (count < 2) fail("usage", "run_network FOLDER [INPUT.bin ...]");
    size_t length, weights_length, source_length;
    Json network = {0};
    json_value(read_file(words[1], "network.json", &length), &network);
    if (json_size(&network, "format") != 1) fail("network.json", "this program reads format 1");
    char *source = read_file(words[1], json_text(&network, "source"), &source_length);
    char *weights = read_file(words[1], json_text(&network, "weights"), &weights_length);

    cl_int error;
    cl_device_id device = choose_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = build(context, device, source, source_length);
    cl_mem *buffers = make_buffers(context, json_get(&network, "buffers"), weights, weights_length);

    int number = 2;
    for (const Json *input = json_get(&network, "inputs")->first; input; input = input->next, number++) {
        size_t size = json_size(input, "bytes"), given = size;
        char *bytes = number < count ? read_file("", words[number], &given) : allocate(size);
        if (given != size) fail("an input has the wrong size", words[number]);
        cl_mem buffer = buffers[json_size(input, "buffer")];
        check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL), "clEnqueueWriteBuffer");
        free(bytes);
    }
    for (const Json *step = json_get(&network, "steps")->first; step; step = step->next)
        launch(queue, program, step, buffers);
    number = 0;
    for (const Json *output = json_get(&network, "outputs")->first; output; output = output->next, number++) {
        size_t size = json_size(output, "bytes");
        char *bytes = allocate(size);
        cl_mem buffer = buffers[json_size(output, "buffer")];
        check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL), "clEnqueueReadBuffer");
        show(output, bytes, size, number);
        free(bytes);
    }
    return 0;
}
