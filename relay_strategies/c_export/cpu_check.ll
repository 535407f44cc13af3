; Which instruction sets a CPU has. A template of cpu_check.py. It is code for every CPU of the architecture.

%${name}.question = type { i64, i64, i64, ptr } ; a word, its bits, those of the first word, the feature's name
${texts}
@${name}.sets = internal constant [${set_count} x ptr] [${sets}]
${declared}

; Writes what the CPU says of itself.
define internal void @${name}.read(ptr %words) ${baseline} {
  store i64 0, ptr %words
${reading}
  ret void
}

; The name of the feature of this number among those of a table that are missing; null behind the last.
define internal ptr @${name}.lacked(ptr %words, ptr %questions, i32 signext %number) ${baseline} {
entry:
  %saved = load i64, ptr %words
  br label %loop
loop:
  %index = phi i64 [ 0, %entry ], [ %next, %step ]
  %left = phi i32 [ %number, %entry ], [ %left.next, %step ]
  %place = getelementptr %${name}.question, ptr %questions, i64 %index
  %text.place = getelementptr %${name}.question, ptr %place, i64 0, i32 3
  %text = load ptr, ptr %text.place
  %is.end = icmp eq ptr %text, null
  br i1 %is.end, label %none, label %ask
ask:
  %word = load i64, ptr %place
  %bits.place = getelementptr %${name}.question, ptr %place, i64 0, i32 1
  %bits = load i64, ptr %bits.place
  %state.place = getelementptr %${name}.question, ptr %place, i64 0, i32 2
  %state = load i64, ptr %state.place
  %said.place = getelementptr i64, ptr %words, i64 %word
  %said = load i64, ptr %said.place
  %set = and i64 %said, %bits
  %has = icmp eq i64 %set, %bits
  %held = and i64 %saved, %state
  %is.saved = icmp eq i64 %held, %state
  %usable = and i1 %has, %is.saved
  br i1 %usable, label %step, label %missing
missing:
  %is.asked = icmp eq i32 %left, 0
  br i1 %is.asked, label %found, label %step
step:
  %left.less = sub i32 %left, 1
  %left.next = select i1 %usable, i32 %left, i32 %left.less
  %next = add i64 %index, 1
  br label %loop
found:
  ret ptr %text
none:
  ret ptr null
}

; The name of the feature of this number among those of the last set that are missing; null behind the last.
define ptr @${name}_missing(i32 signext %number) ${baseline} {
  %words = alloca [${words} x i64], align 16
  call void @${name}.read(ptr %words)
  %lacked = call ptr @${name}.lacked(ptr %words, ptr @${name}.questions${last}, i32 signext %number)
  ret ptr %lacked
}

; The number of the first set of which nothing is missing; -1 where there is none.
define internal signext i32 @${name}.chosen() ${baseline} {
entry:
  %words = alloca [${words} x i64], align 16
  call void @${name}.read(ptr %words)
  br label %loop
loop:
  %index = phi i32 [ 0, %entry ], [ %next, %step ]
  %place = getelementptr ptr, ptr @${name}.sets, i32 %index
  %questions = load ptr, ptr %place
  %lacked = call ptr @${name}.lacked(ptr %words, ptr %questions, i32 signext 0)
  %runs = icmp eq ptr %lacked, null
  br i1 %runs, label %found, label %step
step:
  %next = add i32 %index, 1
  %more = icmp ult i32 %next, ${set_count}
  br i1 %more, label %loop, label %none
found:
  ret i32 %index
none:
  ret i32 -1
}
