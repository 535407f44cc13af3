; What a network of open sizes has beside launcher.ll. A template of launcher.py.

define internal i64 @${name}_output_extent(ptr %sizes, i32 signext %number, i32 signext %axis) {
${table}
  %wrong = load i64, ptr %table
  %right = icmp eq i64 %wrong, 0
  %is.output = icmp ult i32 %number, ${output_count}
  %is.axis = icmp ult i32 %axis, ${rank}
  %is.one = and i1 %is.output, %is.axis
  %known = and i1 %right, %is.one
  br i1 %known, label %found, label %none
found:
  %long.number = zext i32 %number to i64
  %long.axis = zext i32 %axis to i64
  %row = mul i64 %long.number, ${rank}
  %index = add i64 %row, %long.axis
  %extents = getelementptr i64, ptr %table, i64 ${first_extent}
  %place = getelementptr i64, ptr %extents, i64 %index
  %extent = load i64, ptr %place
  ret i64 %extent
none:
  ret i64 0
}
