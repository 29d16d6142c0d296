import { useCall } from '../../api/queries.ts';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { count } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';

/** How much of the limits of requests is used. */
export function Limits() {
  const limits = useCall('GET /v1/usage-limits', {}, { everyMs: 60_000 });
  return (
    <section className="card" aria-labelledby="limits">
      <h2 id="limits">Requests of this session or key</h2>
      <Loaded of={limits}>
        {({ usage: { hourly, daily } }) => (
          <div className="cards">
            {[
              { ...hourly, label: 'This hour' },
              { ...daily, label: 'This day' },
            ].map(({ label, executionsUsed, executionLimit, resetsAt }) => (
              <div key={label}>
                <p>
                  {label}: {count(executionsUsed)} of {count(executionLimit)}
                </p>
                <progress aria-label={label} value={executionsUsed} max={executionLimit} />
                <p className="help">
                  Begins again <Time at={resetsAt} />
                </p>
              </div>
            ))}
          </div>
        )}
      </Loaded>
    </section>
  );
}
