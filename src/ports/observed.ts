import { Observable } from 'rxjs';
import type { Question } from './task.ts';

/** A question as an Observable: sent on subscription. */
export function observed<T>(question: Question<T>): Observable<T> {
  return question instanceof Observable
    ? question
    : new Observable((subscriber) => question.subscribe(subscriber));
}
