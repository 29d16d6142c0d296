import type { WarningCode } from '../../../shared/core/warnings.ts';
import { countText } from '../texts/language.ts';
import { warningTexts } from '../texts/warnings.ts';
import { WarningMark } from '../ui/warning-mark.tsx';
import '../style/run.css';

interface ShownWarning {
  code: WarningCode;
  message?: string | undefined;
  count: number;
}

/** What went otherwise than asked in a run, a step or a turn. Nothing without warnings. */
export const Warnings = ({ of }: { of: readonly ShownWarning[] }) =>
  of.length > 0 && (
    <div className="warnings">
      <strong>{warningTexts.warnings}</strong>
      <ul>
        {of.map(({ code, message, count }) => (
          <li key={`${code} ${message}`}>
            <WarningMark words={warningTexts.warning} />
            <span>
              <strong>{warningTexts.titles[code]}</strong>
              {count > 1 && <span className="help"> {warningTexts.times(countText(count))}</span>}
              {message && (
                <p>
                  <bdi>{message}</bdi>
                </p>
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );

/** As the mark of a row says it. */
export const warningWords = (warnings: readonly Pick<ShownWarning, 'code' | 'count'>[]): string =>
  [...new Set(warnings.map(({ code }) => warningTexts.titles[code]))].join('. ');
