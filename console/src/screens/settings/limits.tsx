import { useCall } from '../../api/queries.ts';
import { usageTexts } from '../../texts/usage.ts';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { Time } from '../../ui/values/time.tsx';

/** How much of the limits of requests is used. */
export function UsageLimits() {
  const limits = useCall('usage-limits.get', {}, { everyMs: 60_000 });
  return (
    <section className="card" aria-labelledby="limits">
      <h2 id="limits">{usageTexts.requestsOfSession}</h2>
      <Loaded of={limits}>
        {({ usage: { hourly, daily } }) => (
          <div className="cards">
            {[
              { ...hourly, label: usageTexts.thisHour },
              { ...daily, label: usageTexts.thisDay },
            ].map(({ label, executionsUsed, executionLimit, resetsAt }) => (
              <div key={label}>
                <p>{usageTexts.used(label, executionsUsed, executionLimit)}</p>
                <progress aria-label={label} value={executionsUsed} max={executionLimit} />
                <p className="help">{usageTexts.resets(<Time at={resetsAt} />)}</p>
              </div>
            ))}
          </div>
        )}
      </Loaded>
    </section>
  );
}
