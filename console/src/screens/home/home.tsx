import { lazy, Suspense } from 'react';
import { useCall } from '../../api/queries.ts';
import { homeTexts } from '../../texts/home.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Segments } from '../../ui/forms/segments.tsx';
import { Loading } from '../../ui/loading/loaded.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { Overview } from './overview/overview.tsx';
import { ranges, useRange } from './overview/range.ts';
import { useShownRange } from './overview/use-metrics.ts';
import { Checklist } from './start/checklist.tsx';
import { useDismissed } from './start/use-dismissed.ts';
import '../../style/home.css';

const FirstSteps = lazy(async () => ({ default: (await import('./start/first-steps.tsx')).FirstSteps }));

/** What ran, failed and cost; in a new workspace, what to do first. */
export function Home() {
  const [chosen, setRange] = useRange();
  const [isDismissed, dismiss] = useDismissed();
  const newest = useCall('runs.list', { query: { limit: 1 } }, { everyMs: runsAskedMs });
  const isNew = newest.data?.data.length === 0;
  const range = useShownRange(chosen, newest.data !== undefined && !isNew);
  return (
    <ScreenPage
      title={sharedTexts.home}
      actions={
        !isNew && <Segments label={homeTexts.range} value={range} options={ranges} onChange={setRange} />
      }
    >
      <div className="stack">
        {!isDismissed && <Checklist onDismiss={dismiss} />}
        {newest.isPending ? <Loading /> : isNew ? <New /> : <Overview range={range} />}
      </div>
    </ScreenPage>
  );
}

/** Until something has run. */
const runsAskedMs = (runs: { data: readonly unknown[] } | undefined) =>
  runs && runs.data.length > 0 ? false : 10_000;

const New = () => (
  <Suspense fallback={<Loading />}>
    <FirstSteps />
  </Suspense>
);
