import { spanContents } from '../content/span-content.ts';
import type { Span } from './span-tree.ts';
import { SpanAttributes, SpanValue } from './span-values.tsx';

/** What the first span has beside the input and the output of its run. */
export const RunSpan = ({ span }: { span: Span }) => (
  <div className="contents">
    {spanContents(span.attributes)
      .filter(({ title }) => title === 'Instructions')
      .map(({ title, value }) => (
        <SpanValue key={title} title={title} value={value} />
      ))}
    <SpanAttributes span={span} />
  </div>
);
