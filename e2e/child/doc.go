// Package child runs programs that end with the process that started them.
//
//   - A child is killed when its parent ends, also when that is killed.
//   - Stop returns after the child has ended.
//   - A child can be started again, with the same arguments and output file.
//   - Output is kept in a file; Tail is its end, for errors.
package child
