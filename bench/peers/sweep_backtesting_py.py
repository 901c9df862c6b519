import backtesting_sweep
from sweep_columns import FASTS, SLOWS, tell


def sweep():
    # The number of closed trades serves as the objective, so that the heat map has it for each trial.
    _, found = backtesting_sweep.backtest().optimize(
        fast=FASTS, slow=SLOWS, maximize="# Trades", return_heatmap=True
    )
    return {(int(fast), int(slow)): int(count) for (fast, slow), count in found.items()}


if __name__ == "__main__":
    tell(sweep, backtesting_sweep.VERSION)
