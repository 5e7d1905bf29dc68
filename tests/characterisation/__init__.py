"""What some 250 commands print, to the letter: recorded here, compared in `make test`.

`cases.py` is the table of commands, `expected/` what each prints, a file a case. A change that
moves code leaves every line as it is. A change that is meant to be seen writes the files anew
(`make characterise`, or `python -m tests.characterisation --write [PART OF A NAME]`), and its
commit says why each changed line changed.
"""
