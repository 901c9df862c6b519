import { validateDetailed } from 'node-cron';
import type { ScheduledTime } from '../../execution/operator/schedule.ts';

/** Parses minute, hour, day of the month, month and weekday; undefined for other cron syntax. */
export function cronTime(expression: string): ScheduledTime | undefined {
  if (expression.trim().split(/\s+/).length !== 5) return undefined;
  const { fields } = validateDetailed(expression);
  if (fields === undefined) return undefined;
  const { minute, hour, dayOfMonth, month, dayOfWeek } = fields;
  const [daysOfMonth, weekdays] = [numbers(dayOfMonth), numbers(dayOfWeek)];
  if (daysOfMonth === undefined || weekdays === undefined) return undefined;
  const sundays = weekdays.map((weekday) => weekday % 7);
  return {
    expression,
    fields: { minutes: minute, hours: hour, daysOfMonth, months: month, weekdays: sundays },
  };
}

function numbers(values: readonly (number | string)[]): readonly number[] | undefined {
  return values.every((value) => typeof value === 'number') ? values : undefined;
}
