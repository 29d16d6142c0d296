import { useMemo, useState } from 'react';
import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { Button } from '../forms/button.tsx';
import { CopyButton } from '../forms/copy-button.tsx';
import { TextBox } from '../forms/text-box.tsx';
import { download } from './download.ts';
import { bytes } from './format.ts';

/** The browser lays out so many characters without a pause. */
const shownMax = 20_000;

/** A value of any size, as text or JSON: first its beginning, more on request. */
export function Value({ of, label }: { of: unknown; label?: string }) {
  const [shown, setShown] = useState(shownMax);
  const text = useMemo(() => textOf(of), [of]);
  if (text === '') return <p className="help">{uiTexts.empty}</p>;
  const rest = text.length - shown;
  return (
    <div className="value">
      <TextBox label={label ?? sharedTexts.value}>{rest > 0 ? text.slice(0, shown) : text}</TextBox>
      <div className="row">
        {rest > 0 && (
          <>
            <span className="help">{uiTexts.partOf(bytes(shown), bytes(text.length))}</span>
            <Button look="quiet" onPress={() => setShown(shown + shownMax * 5)}>
              {sharedTexts.showMore}
            </Button>
            <Button look="quiet" onPress={() => download(text, 'value.txt', 'text/plain')}>
              {uiTexts.download}
            </Button>
          </>
        )}
        <CopyButton text={text} />
      </div>
    </div>
  );
}

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
