import type { ReactNode } from 'react';
import { countText } from '../../../texts/language.ts';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Facts } from '../../../ui/tables/facts.tsx';
import { dollars, durationText } from '../../../ui/values/format.ts';
import { Time } from '../../../ui/values/time.tsx';
import { spanUsage } from '../content/span-content.ts';
import type { Span } from './span-tree.ts';

/** What a span took, in figures. */
export function SpanFacts({ span: { startedAt, durationMs, attributes } }: { span: Span }) {
  const { input, output, cached, reasoning, firstTokenMs } = spanUsage(attributes);
  const cost = attributes['run.cost_usd'];
  const reasons = attributes['gen_ai.response.finish_reasons'];
  const facts: [string, ReactNode][] = [
    [sharedTexts.started, <Time key="started" at={startedAt} />],
    [sharedTexts.duration, durationText(durationMs) || runTexts.stillOpen],
  ];
  const add = (name: string, value: ReactNode) => value !== undefined && facts.push([name, value]);
  add(sharedTexts.model, modelOf(attributes));
  add(sharedTexts.provider, textOf(attributes['gen_ai.provider.name']));
  add(sharedTexts.tokens, tokensText(input, output));
  add(runTexts.cached, cached ? countText(cached) : undefined);
  add(sharedTexts.reasoning, reasoning ? countText(reasoning) : undefined);
  add(sharedTexts.cost, cost === undefined || cost === null ? undefined : dollars(String(cost)));
  add(runTexts.firstToken, Number.isNaN(firstTokenMs) ? undefined : durationText(firstTokenMs));
  add(runTexts.finishReason, Array.isArray(reasons) ? reasons.join(', ') : undefined);
  add(runTexts.stepType, textOf(attributes['flow.step.type']));
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
  input === undefined && output === undefined ? undefined : runTexts.tokensInAndOut(input ?? 0, output ?? 0);
