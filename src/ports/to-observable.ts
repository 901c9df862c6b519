import { Observable } from 'rxjs';
import type { Request } from './task.ts';

/** A request as an Observable: sent on subscription. */
export function toObservable<T>(request: Request<T>): Observable<T> {
  return request instanceof Observable
    ? request
    : new Observable((subscriber) => request.subscribe(subscriber));
}
