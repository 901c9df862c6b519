import { schedule } from 'node-cron';
import { Observable } from 'rxjs';

/** Emits at the begin of each minute of the machine's clock, until it is unsubscribed. */
export const cronMinutes$: Observable<void> = new Observable((subscriber) => {
  const task = schedule('* * * * *', () => subscriber.next(), { suppressMissedWarning: true });
  // The machine was busy or asleep when the minute began: it is made up for as soon as that is noticed.
  task.on('execution:missed', () => subscriber.next());
  return () => {
    void task.destroy();
  };
});
