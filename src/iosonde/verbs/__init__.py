"""The verbs as functions: options in, a record out. They print nothing.

The command line, which parses options and prints records, and `import iosonde` call the same ones.
"""
