const looks: Record<string, string> = {
  completed: 'good',
  published: 'good',
  active: 'good',
  delivered: 'good',
  success: 'good',
  connected: 'good',
  failed: 'bad',
  error: 'bad',
  revoked: 'bad',
  expired: 'bad',
  crashed: 'bad',
  timeout: 'bad',
  running: 'busy',
  queued: 'busy',
  pending: 'busy',
  planning: 'busy',
  processing: 'busy',
  paused: 'warn',
  waiting: 'warn',
  suspended: 'warn',
  cancelled: 'warn',
  draft: 'warn',
  partial: 'warn',
};

/** A status in a word; the colour only repeats it. */
export const Status = ({ of }: { of: string }) => (
  <span className={`status ${looks[of.toLowerCase()] ?? ''}`}>{of.replaceAll(/[_-]/g, ' ')}</span>
);
