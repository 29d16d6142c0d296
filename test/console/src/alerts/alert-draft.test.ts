import { expect, test } from 'vitest';
import {
  alertTemplates,
  conditionText,
  createTemplateDraft,
  emptyDraft,
  hasMixedScope,
  type ListedAlert,
  roundBound,
  toAlertDraft,
  toBody,
} from '../../../../console/src/alerts/alert-draft.ts';
import { NewAlert } from '../../../../functions/alerts/schemas.ts';

const alertOf = (body: ReturnType<typeof toBody>): ListedAlert => ({
  ...(NewAlert.parse(body) as Omit<
    ListedAlert,
    'id' | 'state' | 'value' | 'since' | 'createdAt' | 'updatedAt'
  >),
  id: 'alert_1',
  notify: { ...body.notify, emails: body.notify?.emails ?? [] },
  state: 'ok',
  value: null,
  since: '',
  createdAt: '',
  updatedAt: '',
});

test('each template is an alert that the API takes, and says what it is', () => {
  const scheduleId = `schedule_${'0'.repeat(26)}`;
  const texts = (Object.keys(alertTemplates) as (keyof typeof alertTemplates)[]).map((name) =>
    conditionText(alertOf(toBody({ ...createTemplateDraft(name), target: scheduleId }))),
  );
  expect(texts).toEqual([
    'No run ended in 24 hours',
    'Failure rate over 5 % in 15 minutes',
    'Duration (p95) over 30 s in 30 minutes',
    'Cost over $20.00 in 24 hours',
  ]);
});

test('people write per cent and seconds, the API has shares and milliseconds, also with a comma', () => {
  expect(toBody({ ...emptyDraft, metric: 'failure-rate', bound: '12,5' })).toMatchObject({ above: 0.125 });
  expect(toBody({ ...emptyDraft, metric: 'failure-rate', bound: '7' })).toMatchObject({ above: 0.07 });
  expect(toBody({ ...emptyDraft, metric: 'duration-p95', bound: '1.5' })).toMatchObject({ above: 1_500 });
  expect(toBody({ ...emptyDraft, metric: 'cost', direction: 'below', bound: '2' })).toMatchObject({
    below: 2,
  });
});

test('an alert is edited as it was written', () => {
  const draft = {
    ...emptyDraft,
    name: 'Slow',
    metric: 'duration-p95' as const,
    bound: '30',
    scope: 'model' as const,
    target: 'openai/gpt-5-mini',
    minRuns: '5',
    emails: 'a@example.com\nb@example.com',
    webhookUrl: 'https://example.com/a',
    webhookFormat: 'slack' as const,
  };
  expect(toAlertDraft(alertOf(toBody(draft)))).toEqual(draft);
  expect(hasMixedScope(alertOf(toBody(draft)))).toBe(false);
});

test('without a name, an alert is called by its condition; what is not a number is refused by the API', () => {
  expect(toBody({ ...emptyDraft, metric: 'waiting', bound: '10' }).name).toBe('More than 10 questions open');
  expect(toBody(emptyDraft).name).toBe('Failure rate over … in 15 minutes');
  expect(
    NewAlert.safeParse(JSON.parse(JSON.stringify(toBody({ ...emptyDraft, bound: 'many' })))).success,
  ).toBe(false);
});

test('a chart suggests a round bound above its highest bar', () => {
  expect([0, 0.034, 1, 3, 7, 19, 60].map(roundBound)).toEqual([1, 0.05, 2, 5, 10, 20, 100]);
});
