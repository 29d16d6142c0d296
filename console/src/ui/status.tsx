import { valueText } from '../texts/values.ts';
import '../style/status-mark.css';

const looks: Record<string, string> = {
  completed: 'good',
  published: 'good',
  active: 'good',
  delivered: 'good',
  success: 'good',
  ok: 'good',
  connected: 'good',
  firing: 'bad',
  blocked: 'bad',
  failed: 'bad',
  error: 'bad',
  revoked: 'bad',
  expired: 'bad',
  crashed: 'bad',
  timeout: 'bad',
  running: 'busy',
  queued: 'busy',
  scheduled: 'busy',
  pending: 'busy',
  planning: 'busy',
  processing: 'busy',
  paused: 'warn',
  waiting: 'warn',
  suspended: 'warn',
  cancelled: 'warn',
  draft: 'warn',
  partial: 'warn',
  alerted: 'warn',
  'awaiting-upload': 'warn',
};

/** A status in a word; the colour only repeats it. */
export const StatusLabel = ({ of }: { of: string }) => (
  <span className={`status ${looks[of.toLowerCase()] ?? ''}`}>{valueText(of)}</span>
);

/** A shape for each look, so that no status is told by its colour alone. */
const shapes: Record<string, string> = {
  good: 'M5 12.5 10 17.5 19 7',
  bad: 'M7 7l10 10M17 7 7 17',
  busy: 'M12 3a9 9 0 1 1-9 9',
  warn: 'M9 7v10M15 7v10',
};
const ownShapes: Record<string, string> = {
  cancelled: 'M6 12h12',
  skipped: 'M6 12h12',
  scheduled: 'M12 7v5l3.5 2M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18',
};

/** A status as an icon with its word, for rows where a label of its own would be noise. */
export function StatusMark({ of, isShort = false }: { of: string; isShort?: boolean }) {
  const status = of.toLowerCase();
  const look = looks[status] ?? '';
  return (
    <span className={`status-mark ${look}`} title={isShort ? of : undefined}>
      <svg viewBox="0 0 24 24" aria-hidden="true" className={status === 'running' ? 'turning' : undefined}>
        <path d={ownShapes[status] ?? shapes[look] ?? 'M6 12h12'} />
      </svg>
      <span className={isShort ? 'visually-hidden' : undefined}>{valueText(of)}</span>
    </span>
  );
}
