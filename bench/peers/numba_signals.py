from columns import CHARGE, FAST, SLOW, TIE, absent, columns, tell

try:
    import numpy
    from numba import njit
except ImportError:
    absent("numba, numpy")


@njit
def averages(close, period):
    out = numpy.full(close.size, numpy.nan)
    total = 0.0
    for i in range(close.size):
        total += close[i]
        if i >= period:
            total -= close[i - period]
        if i >= period - 1:
            out[i] = total / period
    return out


@njit
def sides(fast, slow):
    out = numpy.zeros(fast.size, numpy.int8)
    for i in range(fast.size):
        distance = fast[i] - slow[i]
        if distance > TIE:
            out[i] = 1
        elif distance < -TIE:
            out[i] = -1
    return out


@njit
def trade(opens, close, side, charge):
    equity = numpy.empty(close.size)
    rows = numpy.empty((close.size, 4))
    cash, held, pending, fills = 1.0, 0.0, 0, 0
    peak, drawdown = 0.0, 0.0
    for i in range(close.size):
        if pending == 1:
            held, cash = cash / (opens[i] * (1 + charge)), 0.0
        elif pending == 2:
            cash = held * opens[i] * (1 - charge)
        if pending != 0:
            rows[fills, 0], rows[fills, 1], rows[fills, 2], rows[fills, 3] = i, pending, opens[i], held
            fills += 1
            if pending == 2:
                held = 0.0
            pending = 0
        if held == 0.0:
            if side[i] > 0:
                pending = 1
        elif side[i] < 0:
            pending = 2
        equity[i] = cash + held * close[i]
        peak = max(peak, equity[i])
        drawdown = max(drawdown, 1 - equity[i] / peak)
    return fills, equity[-1], drawdown


time, opens, high, low, close, volume = columns()
tell(lambda: int(trade(opens, close, sides(averages(close, FAST), averages(close, SLOW)), CHARGE)[0]), close.size, 7)
