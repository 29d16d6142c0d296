import type { ReactNode } from 'react';
import { Facts } from '../../../ui/tables/facts.tsx';
import { count, dollars, duration } from '../../../ui/values/format.ts';
import { Time } from '../../../ui/values/time.tsx';
import { usageOf } from '../content/span-content.ts';
import type { Span } from './span-tree.ts';

/** What a span took, in figures. */
export function SpanFacts({ span: { startedAt, durationMs, attributes } }: { span: Span }) {
  const { input, output, cached, reasoning, firstTokenMs } = usageOf(attributes);
  const cost = attributes['run.cost_usd'];
  const reasons = attributes['gen_ai.response.finish_reasons'];
  const facts: [string, ReactNode][] = [
    ['Started', <Time key="started" at={startedAt} />],
    ['Duration', duration(durationMs) || 'still open'],
  ];
  const add = (name: string, value: ReactNode) => value !== undefined && facts.push([name, value]);
  add('Model', modelOf(attributes));
  add('Provider', textOf(attributes['gen_ai.provider.name']));
  add('Tokens', tokensText(input, output));
  add('Cached', cached ? count(cached) : undefined);
  add('Reasoning', reasoning ? count(reasoning) : undefined);
  add('Cost', cost === undefined || cost === null ? undefined : dollars(String(cost)));
  add('First token', Number.isNaN(firstTokenMs) ? undefined : duration(firstTokenMs));
  add('Finish reason', Array.isArray(reasons) ? reasons.join(', ') : undefined);
  add('Step type', textOf(attributes['flow.step.type']));
  return <Facts of={facts} />;
}

const textOf = (value: unknown) => (typeof value === 'string' ? <bdi>{value}</bdi> : undefined);

/** The one that answered, if it has another name. */
function modelOf(attributes: Span['attributes']) {
  const { 'gen_ai.request.model': asked, 'gen_ai.response.model': answered } = attributes;
  if (typeof asked !== 'string' || asked === answered || typeof answered !== 'string') return textOf(asked);
  return <bdi>{`${asked} (${answered})`}</bdi>;
}

const tokensText = (input: number | undefined, output: number | undefined) =>
  input === undefined && output === undefined
    ? undefined
    : `${count(input ?? 0)} in, ${count(output ?? 0)} out`;
