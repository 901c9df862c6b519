import { lineView } from './line-view.ts';
import { panelView } from './panel-view.ts';
import type { View, ViewSink, ViewSpan } from './view.ts';

/** Opens a view: drawn in place on a terminal, a bounded number of plain lines anywhere else. */
export function openView(sink: ViewSink, span: ViewSpan): View {
  return sink.isTTY ? panelView(sink, span) : lineView(sink, span);
}
