import backtesting_sweep
from sweep_columns import FASTS, SLOWS, absent, tell

try:
    import optuna
except ImportError:
    absent("optuna")

optuna.logging.set_verbosity(optuna.logging.WARNING)


def sweep():
    one = backtesting_sweep.backtest()
    found = {}

    def objective(trial):
        params = {"fast": trial.suggest_categorical("fast", FASTS), "slow": trial.suggest_categorical("slow", SLOWS)}
        stats = one.run(**params)
        found[len(found), *params.values()] = int(stats["# Trades"])
        return stats["Return [%]"]

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(objective, n_trials=len(FASTS) * len(SLOWS))
    return {(fast, slow, number): count for (number, fast, slow), count in found.items()}


tell(sweep, f"{optuna.__version__} with backtesting.py {backtesting_sweep.VERSION}")
