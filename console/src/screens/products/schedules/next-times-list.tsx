import { useQuery } from '@tanstack/react-query';
import { productTexts } from '../../../texts/products.ts';
import { ExactTime } from '../../../ui/values/time.tsx';

const timesShown = 5;

/** The next times, computed as the service computes them. */
export function NextTimes({ cron, timezone }: { cron: string; timezone: string | null }) {
  const times = useQuery({
    queryKey: ['next-times', cron, timezone],
    queryFn: async () => (await import('./next-times.ts')).nextTimes(cron, timezone ?? 'UTC', timesShown),
    retry: false,
  });
  if (!times.data) return null;
  return (
    <details>
      <summary>{productTexts.nextTimes(timesShown)}</summary>
      <ol>
        {times.data.map((time) => (
          <li key={time.getTime()}>
            <time dateTime={time.toISOString()}>
              <ExactTime at={time.getTime()} />
            </time>
          </li>
        ))}
      </ol>
    </details>
  );
}
