import { CopyButton } from './copy-button.tsx';
import { TextBox } from './text-box.tsx';

/** A value that no request returns again. */
export const ShownOnce = ({ value }: { value: string }) => (
  <>
    <p>Store it now: it is shown once.</p>
    <TextBox label="The value">{value}</TextBox>
    <CopyButton text={value} />
  </>
);
