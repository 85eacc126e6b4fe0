"""A pytest plugin: acceleration from the first call on, not only where it pays."""

import lindy.accel
import lindy.linear.problem
import lindy.text.count

lindy.accel.install()
