; What the header of a network declares: it is ready in the best of its instruction sets that the CPU has, and hands
; each call to that. A template of launcher.py, and code for every CPU of the architecture.

%${name}.model = type { ptr, ptr, ptr, i32, i32 }
@${name}.label = internal constant [${header_bytes} x i8] c"${label}"
@${name}.runs = internal constant [${set_count} x ptr] [${runs}]
${weights}
${functions}

; Serial, until the caller says otherwise. The weights are those inside, or a file's whose first bytes are the label.
define signext i32 @${name}_init(ptr %model, ptr %given, i64 %bytes) ${baseline} {
entry:
  store %${name}.model zeroinitializer, ptr %model
  %threads = getelementptr %${name}.model, ptr %model, i64 0, i32 3
  store i32 1, ptr %threads
  %set = call signext i32 @${name}.chosen()
  %set.place = getelementptr %${name}.model, ptr %model, i64 0, i32 4
  store i32 %set, ptr %set.place
  %runs = icmp sge i32 %set, 0
  br i1 %runs, label %begin, label %cannot
begin:
  br i1 ${inside}, label %within, label %size
within:
  store ptr ${inside_pointer}, ptr %model
  ret i32 0
size:
  %right.size = icmp eq i64 %bytes, ${file_bytes}
  %number = ptrtoint ptr %given to i64
  %low = and i64 %number, ${alignment_mask}
  %is.aligned = icmp eq i64 %low, 0
  %is.there = icmp ne ptr %given, null
  %usable = and i1 %right.size, %is.there
  br i1 %usable, label %place, label %wrong
place:
  br i1 %is.aligned, label %labels, label %misaligned
labels:
  %index = phi i64 [ 0, %place ], [ %next, %same ]
  %wanted.place = getelementptr i8, ptr @${name}.label, i64 %index
  %wanted = load i8, ptr %wanted.place
  %found.place = getelementptr i8, ptr %given, i64 %index
  %found = load i8, ptr %found.place
  %equal = icmp eq i8 %found, %wanted
  br i1 %equal, label %same, label %wrong
same:
  %next = add i64 %index, 1
  %more = icmp ult i64 %next, ${header_bytes}
  br i1 %more, label %labels, label %good
good:
  %weights = getelementptr i8, ptr %given, i64 ${header_bytes}
  store ptr %weights, ptr %model
  ret i32 0
wrong:
  ret i32 ${wrong_weights}
misaligned:
  ret i32 ${misaligned}
cannot:
  ret i32 ${wrong_cpu}
}

define signext i32 @${name}_run(ptr %model, ${sizes}ptr %inputs, ptr %outputs, ptr %workspace) ${baseline} {
  %set.place = getelementptr %${name}.model, ptr %model, i64 0, i32 4
  %set = load i32, ptr %set.place
  %is.one = icmp ult i32 %set, ${set_count}
  %weights = load ptr, ptr %model
  %is.ready = icmp ne ptr %weights, null
  %is.known = and i1 %is.one, %is.ready
  br i1 %is.known, label %known, label %unknown
known:
  %place = getelementptr ptr, ptr @${name}.runs, i32 %set
  %run = load ptr, ptr %place
  %status = call signext i32 %run(ptr %model, ${sizes}ptr %inputs, ptr %outputs, ptr %workspace)
  ret i32 %status
unknown:
  ret i32 ${wrong_weights}
}
