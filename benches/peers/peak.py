"""The largest resident size of a program, in bytes.

usage: peak.py PROGRAM ARGUMENT...
"""
import resource
import subprocess
import sys

subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
