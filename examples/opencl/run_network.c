/* Runs a network that DeviceModel.export wrote, on the first GPU of this machine's OpenCL, else on its first device.

   cc -O2 run_network.c -lOpenCL -lcjson -o run_network     (Debian: ocl-icd-opencl-dev, libcjson-dev)
   ./run_network FOLDER [INPUT.bin ...]

   Inputs are raw files, as numpy's tofile writes them, in the network's order; an input without a file is zeros.
   Outputs are written to output0.bin and so on in the current folder, and their first values are printed. Any host
   does the same: make a program of the source, a buffer for each entry of "buffers", fill those with an offset from
   the weights, and launch the steps in order. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 5

static void fail(const char *what, const char *detail) {
    fprintf(stderr, "%s%s%s\n", what, *detail ? ": " : "", detail);
    exit(1);
}

static void *allocate(size_t size) {
    void *memory = calloc(1, size ? size : 1);
    if (!memory) fail("out of memory", "");
    return memory;
}

static const cJSON *get(const cJSON *object, const char *name) {
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!member) fail("network.json lacks", name);
    return member;
}

static const char *text_of(const cJSON *object, const char *name) {
    const char *text = cJSON_GetStringValue(get(object, name));
    if (!text) fail("network.json has no text for", name);
    return text;
}

static size_t size_of(const cJSON *object, const char *name) {
    return (size_t)get(object, name)->valuedouble;
}

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

static cl_mem *make_buffers(cl_context context, const cJSON *list, char *weights, size_t length) {
    cl_mem *buffers = allocate((size_t)cJSON_GetArraySize(list) * sizeof *buffers);
    size_t number = 0;
    for (const cJSON *item = list->child; item; item = item->next, number++) {
        size_t size = size_of(item, "bytes");
        const cJSON *offset = cJSON_GetObjectItemCaseSensitive(item, "offset");
        cl_mem_flags flags = CL_MEM_READ_WRITE;
        char *host = NULL;
        cl_int error;
        if (offset && size) {
            if ((size_t)offset->valuedouble + size > length) fail("the weights are cut short", "");
            flags |= CL_MEM_COPY_HOST_PTR;
            host = weights + (size_t)offset->valuedouble;
        }
        buffers[number] = clCreateBuffer(context, flags, size ? size : 1, host, &error);
        check(error, "clCreateBuffer");
    }
    return buffers;
}

static void launch(cl_command_queue queue, cl_program program, const cJSON *step, const cl_mem *buffers) {
    cl_int error;
    cl_uint position = 0;
    size_t global[3], local[3];
    cl_kernel kernel = clCreateKernel(program, text_of(step, "kernel"), &error);
    check(error, text_of(step, "kernel"));
    for (const cJSON *item = get(step, "buffers")->child; item; item = item->next)
        check(clSetKernelArg(kernel, position++, sizeof(cl_mem), &buffers[(size_t)item->valuedouble]), "clSetKernelArg");
    const cJSON *items = get(step, "global")->child, *group = get(step, "local")->child;
    for (int axis = 0; axis < 3; axis++, items = items->next, group = group->next) {
        global[axis] = (size_t)items->valuedouble;
        local[axis] = (size_t)group->valuedouble;
    }
    check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL), text_of(step, "kernel"));
    clReleaseKernel(kernel);
}

static void show(const cJSON *tensor, const char *bytes, size_t size, int number) {
    char path[32];
    snprintf(path, sizeof path, "output%d.bin", number);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) fail("cannot write", path);
    printf("%s:", text_of(tensor, "name"));
    if (strcmp(text_of(tensor, "dtype"), "float32") == 0)
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
    const cJSON *network = cJSON_Parse(read_file(words[1], "network.json", &length));
    if (!network || size_of(network, "format") != 1) fail("network.json", "this program reads format 1");
    char *source = read_file(words[1], text_of(network, "source"), &source_length);
    char *weights = read_file(words[1], text_of(network, "weights"), &weights_length);

    cl_int error;
    cl_device_id device = choose_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = build(context, device, source, source_length);
    cl_mem *buffers = make_buffers(context, get(network, "buffers"), weights, weights_length);

    int number = 2;
    for (const cJSON *input = get(network, "inputs")->child; input; input = input->next, number++) {
        size_t size = size_of(input, "bytes"), given = size;
        char *bytes = number < count ? read_file("", words[number], &given) : allocate(size);
        if (given != size) fail("an input has the wrong size", words[number]);
        cl_mem buffer = buffers[size_of(input, "buffer")];
        check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL), "clEnqueueWriteBuffer");
        free(bytes);
    }
    for (const cJSON *step = get(network, "steps")->child; step; step = step->next)
        launch(queue, program, step, buffers);
    number = 0;
    for (const cJSON *output = get(network, "outputs")->child; output; output = output->next, number++) {
        size_t size = size_of(output, "bytes");
        char *bytes = allocate(size);
        cl_mem buffer = buffers[size_of(output, "buffer")];
        check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL), "clEnqueueReadBuffer");
        show(output, bytes, size, number);
        free(bytes);
    }
    return 0;
}
