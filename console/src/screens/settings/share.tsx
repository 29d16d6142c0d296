import { sharedTexts } from '../../texts/shared.ts';

/** A part of a whole, as a bar and as a number. */
export function Share({ of, whole }: { of: number; whole: number }) {
  if (whole === 0) return null;
  const percent = (of / whole) * 100;
  return (
    <div className="share">
      <span style={{ width: `${percent}%` }} />
      {sharedTexts.percent(Math.round(percent))}
    </div>
  );
}
