#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a program writes to a terminal, as a picture: ANSI colours on standard input, SVG on standard output.

terminal_svg.py [COMMAND]: COMMAND is shown behind a prompt above the output."""
import html
import re
import sys

COLOURS = {36: "#56b6c2", 33: "#e5c07b", 32: "#98c379", 31: "#e06c75", 35: "#c678dd", 34: "#61afef",
           96: "#7fdbe8", 92: "#b5e890", 94: "#82b8ff", 95: "#e0a0f5", 93: "#ffdf8f", 91: "#ff8f8f"}
PLAIN, DIM, GROUND = "#d7dae0", "#8a919d", "#1e2127"
WIDTH, HEIGHT, MARGIN = 8.43, 19, 14  # of a character of 14 px, and around the text


def spans(line):
    """Yields (text, colour, is_bold) of one line."""
    colour, bold, dim = None, False, False
    for number, part in enumerate(re.split(r"\x1b\[([0-9;]*)m", line)):
        if number % 2 == 0:
            if part:
                yield part, DIM if dim and not colour else colour or PLAIN, bold
            continue
        for code in (int(c or 0) for c in part.split(";")):
            if code == 0:
                colour, bold, dim = None, False, False
            elif code in (1, 2):
                bold, dim = bold or code == 1, dim or code == 2
            elif code == 22:
                bold = dim = False
            elif code == 39:
                colour = None
            elif code in COLOURS:
                colour = COLOURS[code]


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    if len(sys.argv) > 1:
        lines = [f"\x1b[1m$ {sys.argv[1]}\x1b[0m", *lines]
    columns = max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)
    width, height = round(columns * WIDTH + 2 * MARGIN), len(lines) * HEIGHT + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">')
    print(f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}"/>')
    print('<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,\'DejaVu Sans Mono\',monospace" font-size="14">')
    for row, line in enumerate(lines):
        y, column = MARGIN + HEIGHT * row + 14, 0
        for text, colour, bold in spans(line):
            shown = text.strip(" ")  # blanks at the ends are lost in SVG
            x = MARGIN + (column + len(text) - len(text.lstrip(" "))) * WIDTH
            length = len(shown) * WIDTH
            column += len(text)
            if shown:
                weight = ' font-weight="bold"' if bold else ""
                print(f'<text x="{x:.1f}" y="{y}" textLength="{length:.1f}" fill="{colour}"{weight}>'
                      f"{html.escape(shown, quote=False)}</text>")
    print("</g>\n</svg>")


main()
