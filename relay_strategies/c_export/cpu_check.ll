; What an x86 CPU lacks. A template of cpu_check.py. It is code for the oldest CPUs of the architecture.

%${name}.question = type { i32, i32, i32, i32, i32, ptr }
${texts}
@${name}.questions = internal constant [${count} x %${name}.question] [${questions}]

; Writes the four registers of an answer; zeros where the CPU does not have the leaf.
define internal void @${name}.cpuid(i32 %leaf, i32 %subleaf, ptr %answer) ${baseline} {
  store [4 x i32] zeroinitializer, ptr %answer
  %range = and i32 %leaf, ${extended}
  %first = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx}"(i32 %range, i32 0)
  %highest = extractvalue { i32, i32, i32, i32 } %first, 0
  %there = icmp uge i32 %highest, %leaf
  br i1 %there, label %ask, label %done
ask:
  %said = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx}"(i32 %leaf, i32 %subleaf)
  store { i32, i32, i32, i32 } %said, ptr %answer
  br label %done
done:
  ret void
}

; The name of the feature of this number among those that are missing; null behind the last.
define ptr @${name}_missing(i32 signext %number) ${baseline} {
entry:
  %answer = alloca [4 x i32], align 16
  call void @${name}.cpuid(i32 1, i32 0, ptr %answer)
  %third = getelementptr i32, ptr %answer, i64 2
  %bits = load i32, ptr %third
  %bit.state = and i32 %bits, ${os_saves}
  %tells.state = icmp ne i32 %bit.state, 0
  br i1 %tells.state, label %read, label %begin
read:
  %both = call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx}"(i32 0)
  %low = extractvalue { i32, i32 } %both, 0
  br label %begin
begin:
  %state = phi i32 [ 0, %entry ], [ %low, %read ]
  br label %loop
loop:
  %index = phi i64 [ 0, %begin ], [ %next, %step ]
  %left = phi i32 [ %number, %begin ], [ %left.next, %step ]
  %place = getelementptr %${name}.question, ptr @${name}.questions, i64 %index
  %leaf = load i32, ptr %place
  %subleaf.place = getelementptr i32, ptr %place, i64 1
  %subleaf = load i32, ptr %subleaf.place
  %register.place = getelementptr i32, ptr %place, i64 2
  %register = load i32, ptr %register.place
  %bit.place = getelementptr i32, ptr %place, i64 3
  %bit = load i32, ptr %bit.place
  %wanted.place = getelementptr i32, ptr %place, i64 4
  %wanted = load i32, ptr %wanted.place
  call void @${name}.cpuid(i32 %leaf, i32 %subleaf, ptr %answer)
  %word.place = getelementptr i32, ptr %answer, i32 %register
  %word = load i32, ptr %word.place
  %shifted = lshr i32 %word, %bit
  %has = trunc i32 %shifted to i1
  %saved = and i32 %state, %wanted
  %is.saved = icmp eq i32 %saved, %wanted
  %usable = and i1 %has, %is.saved
  br i1 %usable, label %step, label %missing
missing:
  %is.asked = icmp eq i32 %left, 0
  br i1 %is.asked, label %found, label %step
step:
  %left.less = sub i32 %left, 1
  %left.next = select i1 %usable, i32 %left, i32 %left.less
  %next = add i64 %index, 1
  %more = icmp ult i64 %next, ${count}
  br i1 %more, label %loop, label %none
found:
  %text.place = getelementptr %${name}.question, ptr %place, i64 0, i32 5
  %text = load ptr, ptr %text.place
  ret ptr %text
none:
  ret ptr null
}
