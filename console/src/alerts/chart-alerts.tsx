import { lazy, Suspense, useState } from 'react';
import { covers } from '../../../shared/platform/identity/permissions.ts';
import { useApi } from '../api/api.ts';
import { useCall, useCalls } from '../api/queries.ts';
import { alertTexts } from '../texts/alerts.ts';
import type { ChartMark } from '../ui/charts/time-chart.tsx';
import { Button } from '../ui/forms/button.tsx';
import { type AlertDraft, emptyDraft, type Metric, roundBound } from './alert-draft.ts';

const AlertDialog = lazy(async () => ({ default: (await import('./alert-dialog.tsx')).AlertDialog }));

/** The histories of so many alerts are read for a chart. */
const readMost = 8;
const everyMs = 60_000;

/** When alerts on these metrics fired and were resolved, as marks on a chart that begins then. */
export function useAlertMarks(metrics: readonly Metric[], from: string): ChartMark[] {
  const { permissions } = useApi().credential;
  const mayRead = permissions === null || covers(permissions, 'ALERTS:READ');
  const alerts = useCall('alerts.list', { query: { limit: 100 } }, { enabled: mayRead, everyMs });
  const shown = (alerts.data?.data ?? []).filter(({ metric }) => metrics.includes(metric)).slice(0, readMost);
  const histories = useCalls(
    'alerts.history',
    shown.map(({ id }) => ({ params: { id } })),
    { everyMs },
  );
  return shown.flatMap(({ name }, index) =>
    (histories[index]?.data?.data ?? [])
      .filter(({ at }) => at >= from)
      .map(({ type, at }) => ({
        at: Date.parse(at),
        label: type === 'firing' ? alertTexts.fired(name) : alertTexts.resolved(name),
        colour: type === 'firing' ? 'var(--bad)' : 'var(--good)',
      })),
  );
}

interface Props {
  /** What the chart shows, for the title. */
  chart: string;
  metric: Metric;
  /** The highest bar. */
  most: number;
  barMs: number;
}

/** Makes an alert of what a chart shows: above its highest bar, in a window as long as a bar. */
export function AlertFromChart({ chart, metric, most, barMs }: Props) {
  const { permissions } = useApi().credential;
  const [draft, setDraft] = useState<AlertDraft>();
  /** It stays when it is closed: it may have a secret to show. */
  const [isUsed, setUsed] = useState(false);
  if (permissions !== null && !covers(permissions, 'ALERTS:WRITE')) return null;
  const suggest = (): AlertDraft => ({
    ...emptyDraft,
    metric,
    bound: String(roundBound(most)),
    windowMinutes: Math.min(1_440, Math.max(5, barMs / 60_000)),
  });
  return (
    <>
      <Button
        look="quiet"
        onPress={() => {
          setDraft(suggest());
          setUsed(true);
        }}
      >
        {alertTexts.alertMe}
      </Button>
      <Suspense>
        {isUsed && (
          <AlertDialog
            title={alertTexts.alertMeTitle(chart)}
            draft={draft}
            onClose={() => setDraft(undefined)}
          />
        )}
      </Suspense>
    </>
  );
}
