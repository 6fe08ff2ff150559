import { useEffect, useRef, useState } from 'react';
import { FormProblem } from '../forms/form_problem.tsx';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { COMMISSION_TEXTS } from '../translations/commission.ts';
import { deviceInCode } from './device_code.ts';

/** The barcode detector of Chrome on Android and macOS, and of Safari behind a setting. TypeScript has no type for it. */
interface Detector {
  detect(source: HTMLVideoElement): Promise<readonly { rawValue: string }[]>;
}
interface DetectorClass {
  new (options: { formats: readonly string[] }): Detector;
  getSupportedFormats(): Promise<readonly string[]>;
}

const isDetectorClass = (value: unknown): value is DetectorClass =>
  typeof value === 'function' && 'getSupportedFormats' in value;

/** The formats of codes on devices. A browser may support only some of them. */
const CODE_FORMATS = ['qr_code', 'data_matrix', 'code_128'];
const SCAN_INTERVAL_MS = 200;

/** Null if this browser cannot read codes. On some systems the class exists, but has no formats or throws. */
async function newDetector(): Promise<Detector | null> {
  const Detector: unknown = Reflect.get(window, 'BarcodeDetector');
  if (!isDetectorClass(Detector)) return null;
  try {
    const supported = await Detector.getSupportedFormats();
    const formats = CODE_FORMATS.filter((format) => supported.includes(format));
    return formats.includes('qr_code') ? new Detector({ formats }) : null;
  } catch {
    return null;
  }
}

/** Reads the code of a device with the camera. A browser without a detector shows only a sentence. */
export function Scanner({ onFound }: { onFound: (deviceId: string) => void }) {
  const texts = useTexts(COMMISSION_TEXTS);
  const [detector, setDetector] = useState<Detector | null | undefined>(undefined);
  const [isOn, setOn] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => void newDetector().then(setDetector), []);
  if (detector === undefined) return null;
  if (detector === null) return <p className="meta">{texts.cannotScan}</p>;
  return (
    <>
      <Button onClick={() => setOn(!isOn)}>{isOn ? texts.stopScan : texts.scan}</Button>
      {isOn && (
        <Camera
          detector={detector}
          onFailed={() => {
            setOn(false);
            setFailed(true);
          }}
          onFound={(deviceId) => {
            setOn(false);
            onFound(deviceId);
          }}
        />
      )}
      {hasFailed && <FormProblem>{texts.noCamera}</FormProblem>}
    </>
  );
}

interface CameraProps {
  detector: Detector;
  onFound: (deviceId: string) => void;
  onFailed: () => void;
}

function Camera({ detector, onFound, onFailed }: CameraProps) {
  const texts = useTexts(COMMISSION_TEXTS);
  const video = useRef<HTMLVideoElement>(null);
  const handlers = useRef({ onFound, onFailed });
  useEffect(() => {
    const ended = new AbortController();
    let stream: MediaStream | null = null;
    const scan = async (): Promise<void> => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      const shown = video.current;
      if (shown === null || ended.signal.aborted) return;
      shown.srcObject = stream;
      await shown.play();
      while (!ended.signal.aborted) {
        const [code] = await detector.detect(shown);
        const deviceId = code === undefined ? '' : deviceInCode(code.rawValue);
        if (deviceId !== '') return handlers.current.onFound(deviceId);
        await new Promise((resolve) => setTimeout(resolve, SCAN_INTERVAL_MS));
      }
    };
    const stop = (): void => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    // The camera may be refused, in use, or missing. `play` fails when the page is left.
    void scan()
      .catch(() => !ended.signal.aborted && handlers.current.onFailed())
      .finally(stop);
    return () => {
      ended.abort();
      stop();
    };
  }, [detector]);
  return <video ref={video} className="camera" muted playsInline aria-label={texts.scan} />;
}
