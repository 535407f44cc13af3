; What runs a network in one instruction set: it hands each kernel its operands, one after the other. A template of
; launcher.py.
;
; The blocks of memory are, in this order: weights, workspace, inputs, outputs. A frame is what a task of a kernel
; gets: the number of tasks, the kernel's own workspace, and its operands. Numbers are in a table (table.py), whose
; first says whether the sizes that a run is given are those that the network takes.

%${name}.model = type { ptr, ptr, ptr, i32, i32 }
%${name}.operand = type { i64, i64 }
%${name}.step = type { ptr, i32, i32, i32 }

@${name}.operands = internal constant [${operand_count} x %${name}.operand] [${operands}]
@${name}.steps = internal constant [${step_count} x %${name}.step] [${steps}]
${numbers}

define internal i64 @${name}_input_bytes(${sizes}i32 signext %number) {
${table}
  %wrong = load i64, ptr %table
  %right = icmp eq i64 %wrong, 0
  %is.one = icmp ult i32 %number, ${input_count}
  %known = and i1 %right, %is.one
  br i1 %known, label %found, label %none
found:
  %index = zext i32 %number to i64
  %row = getelementptr i64, ptr %table, i64 ${first_input_size}
  %place = getelementptr i64, ptr %row, i64 %index
  %size = load i64, ptr %place
  ret i64 %size
none:
  ret i64 0
}

define internal i64 @${name}_output_bytes(${sizes}i32 signext %number) {
${table}
  %wrong = load i64, ptr %table
  %right = icmp eq i64 %wrong, 0
  %is.one = icmp ult i32 %number, ${output_count}
  %known = and i1 %right, %is.one
  br i1 %known, label %found, label %none
found:
  %index = zext i32 %number to i64
  %row = getelementptr i64, ptr %table, i64 ${first_output_size}
  %place = getelementptr i64, ptr %row, i64 %index
  %size = load i64, ptr %place
  ret i64 %size
none:
  ret i64 0
}

; The most that any kernel needs, shared and for each of so many tasks, above all tensors.
define internal i64 @${name}_workspace_bytes(${sizes}i32 signext %threads) {
entry:
${table}
  %wrong = load i64, ptr %table
  %right = icmp eq i64 %wrong, 0
  %some = icmp sgt i32 %threads, 1
  %count = select i1 %some, i32 %threads, i32 1
  %tasks = zext i32 %count to i64
  br i1 %right, label %loop, label %none
loop:
  %index = phi i64 [ 0, %entry ], [ %next, %loop ]
  %most = phi i64 [ 0, %entry ], [ %larger, %loop ]
  %first = mul i64 %index, 2
  %needs = getelementptr i64, ptr %table, i64 ${first_need}
  %need = getelementptr i64, ptr %needs, i64 %first
  %shared = load i64, ptr %need
  %own.place = getelementptr i8, ptr %need, i64 8
  %own = load i64, ptr %own.place
  %owned = mul i64 %own, %tasks
  %all = add i64 %shared, %owned
  %is.larger = icmp ugt i64 %all, %most
  %larger = select i1 %is.larger, i64 %all, i64 %most
  %next = add i64 %index, 1
  %more = icmp ult i64 %next, ${need_count}
  br i1 %more, label %loop, label %done
done:
  %arena.place = getelementptr i64, ptr %table, i64 ${arena}
  %arena = load i64, ptr %arena.place
  %bytes = add i64 %larger, %arena
  ret i64 %bytes
none:
  ret i64 0
}

define internal signext i32 @${name}_run(ptr %model, ${sizes}ptr %inputs, ptr %outputs, ptr %workspace) {
entry:
${table}
  %blocks = alloca [${block_count} x ptr], align 16
  %frame = alloca [${frame_count} x ptr], align 16
  %weights = load ptr, ptr %model
  %wrong = load i64, ptr %table
  %right = icmp eq i64 %wrong, 0
  br i1 %right, label %known, label %unknown
known:
  store ptr %weights, ptr %blocks
  %table.slot = getelementptr ptr, ptr %blocks, i64 ${table_block}
  store ptr %table, ptr %table.slot
  %second = getelementptr ptr, ptr %blocks, i64 1
  store ptr %workspace, ptr %second
  %start = ptrtoint ptr %workspace to i64
  br label %inputs.head
inputs.head:
  %input = phi i64 [ 0, %known ], [ %input.next, %take.input ]
  %low.inputs = phi i64 [ %start, %known ], [ %low.inputs.next, %take.input ]
  %inputs.more = icmp ult i64 %input, ${input_count}
  br i1 %inputs.more, label %take.input, label %outputs.head
take.input:
  %input.place = getelementptr ptr, ptr %inputs, i64 %input
  %input.pointer = load ptr, ptr %input.place
  %input.block = add i64 %input, 2
  %input.slot = getelementptr ptr, ptr %blocks, i64 %input.block
  store ptr %input.pointer, ptr %input.slot
  %input.number = ptrtoint ptr %input.pointer to i64
  %low.inputs.next = or i64 %low.inputs, %input.number
  %input.next = add i64 %input, 1
  br label %inputs.head
outputs.head:
  %output = phi i64 [ 0, %inputs.head ], [ %output.next, %take.output ]
  %low.all = phi i64 [ %low.inputs, %inputs.head ], [ %low.next, %take.output ]
  %outputs.more = icmp ult i64 %output, ${output_count}
  br i1 %outputs.more, label %take.output, label %check
take.output:
  %output.place = getelementptr ptr, ptr %outputs, i64 %output
  %output.pointer = load ptr, ptr %output.place
  %output.block = add i64 %output, ${first_output}
  %output.slot = getelementptr ptr, ptr %blocks, i64 %output.block
  store ptr %output.pointer, ptr %output.slot
  %output.number = ptrtoint ptr %output.pointer to i64
  %low.next = or i64 %low.all, %output.number
  %output.next = add i64 %output, 1
  br label %outputs.head
check:
  %low = and i64 %low.all, ${alignment_mask}
  %is.aligned = icmp eq i64 %low, 0
  br i1 %is.aligned, label %prepare, label %misaligned
prepare:
  %parallel.place = getelementptr %${name}.model, ptr %model, i64 0, i32 1
  %parallel = load ptr, ptr %parallel.place
  %context.place = getelementptr %${name}.model, ptr %model, i64 0, i32 2
  %context = load ptr, ptr %context.place
  %threads.place = getelementptr %${name}.model, ptr %model, i64 0, i32 3
  %threads = load i32, ptr %threads.place
  %several = icmp sgt i32 %threads, 1
  %callable = icmp ne ptr %parallel, null
  %in.threads = and i1 %several, %callable
  %arena.place = getelementptr i64, ptr %table, i64 ${arena}
  %arena = load i64, ptr %arena.place
  %own = getelementptr i8, ptr %workspace, i64 %arena
  %own.slot = getelementptr ptr, ptr %frame, i64 1
  store ptr %own, ptr %own.slot
  br label %step
step:
  %number = phi i64 [ 0, %prepare ], [ %number.next, %stepped ]
  %entry.place = getelementptr %${name}.step, ptr @${name}.steps, i64 %number
  %kernel = load ptr, ptr %entry.place
  %kind.place = getelementptr %${name}.step, ptr %entry.place, i64 0, i32 1
  %kind = load i32, ptr %kind.place
  %first.place = getelementptr %${name}.step, ptr %entry.place, i64 0, i32 2
  %first.short = load i32, ptr %first.place
  %first = zext i32 %first.short to i64
  %count.place = getelementptr %${name}.step, ptr %entry.place, i64 0, i32 3
  %count.short = load i32, ptr %count.place
  %count = zext i32 %count.short to i64
  br label %operand
operand:
  %taken = phi i64 [ 0, %step ], [ %taken.next, %operand ]
  %which = add i64 %first, %taken
  %operand.place = getelementptr %${name}.operand, ptr @${name}.operands, i64 %which
  %block.number = load i64, ptr %operand.place
  %index.place = getelementptr i8, ptr %operand.place, i64 8
  %index = load i64, ptr %index.place
  %offset.place = getelementptr i64, ptr %table, i64 %index
  %offset = load i64, ptr %offset.place
  %block.place = getelementptr ptr, ptr %blocks, i64 %block.number
  %block = load ptr, ptr %block.place
  %pointer = getelementptr i8, ptr %block, i64 %offset
  %slot.number = add i64 %taken, 2
  %slot = getelementptr ptr, ptr %frame, i64 %slot.number
  store ptr %pointer, ptr %slot
  %taken.next = add i64 %taken, 1
  %operands.more = icmp ult i64 %taken.next, %count
  br i1 %operands.more, label %operand, label %call
call:
  %is.parallel = icmp ne i32 %kind, 0
  %spread = and i1 %is.parallel, %in.threads
  br i1 %spread, label %many, label %one
one:
  store i32 1, ptr %frame
  call void %kernel(ptr %frame, i32 signext 0)
  br label %stepped
many:
  store i32 %threads, ptr %frame
  %status = call signext i32 %parallel(ptr %context, ptr %kernel, ptr %frame, i32 signext %threads)
  %worked = icmp eq i32 %status, 0
  br i1 %worked, label %stepped, label %failed
stepped:
  %number.next = add i64 %number, 1
  %steps.more = icmp ult i64 %number.next, ${step_count}
  br i1 %steps.more, label %step, label %done
done:
  ret i32 0
unknown:
  %status.sizes = trunc i64 %wrong to i32
  ret i32 %status.sizes
misaligned:
  ret i32 ${misaligned}
failed:
  ret i32 ${threads_failed}
}
