import '../style/status-mark.css';

/** That something went otherwise than asked. @param words What it says to those who point at it, and to screen readers */
export const WarningMark = ({ words }: { words: string }) => (
  <span className="status-mark warn" title={words}>
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d="M12 4 2.8 20h18.4zM12 10v4.4M12 17.4v.1" />
    </svg>
    <span className="visually-hidden">{words}</span>
  </span>
);
