"""Two small charts as SVG, written by hand so that the report needs no plotting stack."""

import math

COLOURS = ("#1b6ca8", "#c8553d", "#588157", "#8d6a9f", "#b08900")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 320, 70, 45, 30, 170


def _frame(title, body, height=HEIGHT):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="12">\n'
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n'
        f'<text x="10" y="18" font-size="14">{title}</text>\n{body}</svg>\n'
    )


def _number(value):
    return f"{value:g}" if 0.01 <= value < 10000 else f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")


def log_lines(title, x_name, y_name, series):
    """series: {name: [(x, y), …]}; both axes logarithmic."""
    points = [p for line in series.values() for p in line]
    low = [math.floor(math.log10(min(p[k] for p in points))) for k in (0, 1)]
    high = [math.ceil(math.log10(max(p[k] for p in points))) for k in (0, 1)]
    high = [max(top, bottom + 1) for top, bottom in zip(high, low, strict=True)]

    def place(x, y):
        across = (math.log10(x) - low[0]) / (high[0] - low[0]) * (WIDTH - LEFT - RIGHT) + LEFT
        up = (math.log10(y) - low[1]) / (high[1] - low[1]) * (HEIGHT - TOP - BOTTOM)
        return across, HEIGHT - BOTTOM - up

    out = ""
    for power in range(low[0], high[0] + 1):
        x, _ = place(10.0**power, 10.0 ** low[1])
        out += f'<line x1="{x:.0f}" y1="{TOP}" x2="{x:.0f}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>\n'
        out += f'<text x="{x:.0f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{_number(10.0**power)}</text>\n'
    for power in range(low[1], high[1] + 1):
        _, y = place(10.0 ** low[0], 10.0**power)
        out += f'<line x1="{LEFT}" y1="{y:.0f}" x2="{WIDTH - RIGHT}" y2="{y:.0f}" stroke="#ddd"/>\n'
        out += f'<text x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{_number(10.0**power)}</text>\n'
    for k, (name, line) in enumerate(series.items()):
        colour = COLOURS[k % len(COLOURS)]
        places = [place(*p) for p in sorted(line)]
        out += f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="'
        out += " ".join(f"{x:.1f},{y:.1f}" for x, y in places) + '"/>\n'
        out += "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>\n' for x, y in places)
        out += f'<text x="{WIDTH - RIGHT + 10}" y="{TOP + 14 + 18 * k}" fill="{colour}">{name}</text>\n'
    out += f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{x_name}</text>\n'
    out += f'<text x="14" y="{TOP + 100}" transform="rotate(-90 14 {TOP + 100})" text-anchor="middle">{y_name}</text>\n'
    return _frame(title, out)


def log_bars(title, groups):
    """groups: {name: [(label, value), …]}; bars of log length from the smallest power of ten below all values."""
    values = [v for bars in groups.values() for _, v in bars]
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    out, y, names = "", TOP + 10, []
    for group, bars in groups.items():
        out += f'<text x="10" y="{y + 12}" font-weight="bold">{group}</text>\n'
        for label, value in bars:
            if label not in names:
                names.append(label)
            length = (math.log10(value) - low) / (high - low) * (WIDTH - 320)
            out += (
                f'<rect x="230" y="{y + 2}" width="{max(length, 1):.1f}" height="12" '
                f'fill="{COLOURS[names.index(label) % len(COLOURS)]}"/>\n'
                f'<text x="224" y="{y + 12}" text-anchor="end">{label}</text>\n'
                f'<text x="{236 + length:.0f}" y="{y + 12}">{value:.3g}</text>\n'
            )
            y += 16
        y += 8
    return _frame(title, out, y + 10)
