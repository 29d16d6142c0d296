import { useCall } from '../../../api/queries.ts';
import { homeTexts } from '../../../texts/home.ts';
import { countText } from '../../../texts/language.ts';
import { Link } from '../../../ui/link.tsx';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { Time } from '../../../ui/values/time.tsx';
import { failureReasons, type Reason } from './failure-reasons.ts';
import { type Range, rangeWords } from './range.ts';
import { useWindow } from './use-metrics.ts';

const read = 100;
const shownMost = 6;
const namesMost = 3;

/** Why the newest runs failed, the most frequent reason first. */
export function Failures({ range }: { range: Range }) {
  const { from } = useWindow(range);
  const failed = useCall(
    'runs.list',
    { query: { status: 'failed', from, limit: read } },
    { everyMs: 30_000, keepsLast: true },
  );
  return (
    <section className="card" aria-labelledby="failures">
      <div className="home-head">
        <h2 id="failures">{homeTexts.recentFailures}</h2>
        {failed.data && failed.data.data.length > 0 && (
          <Link to={`/runs?status=failed&from=${encodeURIComponent(from)}`}>{homeTexts.allFailedRuns}</Link>
        )}
      </div>
      <Loaded of={failed}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <p className="help home-none">{homeTexts.noRunFailed(rangeWords(range))}</p>
          ) : (
            <>
              <ul className="home-reasons" aria-labelledby="failures">
                {failureReasons(data)
                  .slice(0, shownMost)
                  .map((reason) => (
                    <ReasonRow key={reason.key} reason={reason} from={from} />
                  ))}
              </ul>
              {pagination.hasMore && <p className="help">{homeTexts.ofNewestFailedRuns(read)}</p>}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function ReasonRow({ reason, from }: { reason: Reason; from: string }) {
  const { code, message, count: times, lastAt, names, newestRunId } = reason;
  const shown = names.slice(0, namesMost).join(', ');
  const others = names.length - namesMost;
  return (
    <li>
      <span className="home-times" aria-hidden="true">
        {countText(times)}
      </span>
      <div>
        <Link to={addressOf(reason, from)} className="home-message">
          <bdi>{message}</bdi>
        </Link>
        <p className="help">
          {homeTexts.failureReason(
            <code>{code}</code>,
            times,
            <Link to={`/runs/${newestRunId}`}>
              <Time at={lastAt} />
            </Link>,
            others > 0 ? homeTexts.andMore(shown, others) : shown,
          )}
        </p>
      </div>
    </li>
  );
}

/** The list of runs, of this reason alone. */
const addressOf = ({ commonText }: Reason, from: string) =>
  `/runs?status=failed&from=${encodeURIComponent(from)}${commonText && `&error=${encodeURIComponent(commonText)}`}`;
