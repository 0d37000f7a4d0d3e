// Short tones for events that the kitchen must not miss. Browsers block sound until the user interacts with the page,
// so the choice is stored and the first interaction after a reload resumes the sound.
import { useSyncExternalStore } from 'react';

export type SoundChoice = 'unasked' | 'on' | 'off';
export type Tone = 'new' | 'canceled' | 'reminder';

const KEY = 'waybill.sound';
const listeners = new Set<() => void>();
let context: AudioContext | undefined;

/** Pitch in hertz and when it starts, in seconds. */
const TONES: Record<Tone, readonly { hertz: number; at: number }[]> = {
  new: [
    { hertz: 660, at: 0 },
    { hertz: 880, at: 0.14 },
  ],
  canceled: [
    { hertz: 520, at: 0 },
    { hertz: 390, at: 0.18 },
    { hertz: 290, at: 0.36 },
  ],
  reminder: [
    { hertz: 880, at: 0 },
    { hertz: 880, at: 0.2 },
    { hertz: 880, at: 0.4 },
  ],
};
const LENGTH_SECONDS = 0.16;
const LOUDNESS = 0.25;

function readChoice(): SoundChoice {
  const stored = localStorage.getItem(KEY);
  return stored === 'on' || stored === 'off' ? stored : 'unasked';
}

export function chooseSound(choice: 'on' | 'off'): void {
  localStorage.setItem(KEY, choice);
  if (choice === 'on') {
    wake();
    playTone('new');
  }
  notifyListeners();
}

function notifyListeners(): void {
  for (const listener of listeners) listener();
}

export function useSoundChoice(): SoundChoice {
  return useSyncExternalStore(subscribe, readChoice);
}

/** Turned on, but still blocked by the browser: nobody has interacted with the page since it was opened. */
export function useIsSoundAsleep(): boolean {
  return useSyncExternalStore(subscribe, () => readChoice() === 'on' && context?.state !== 'running');
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function wake(): void {
  if (context === undefined) {
    context = new AudioContext();
    context.addEventListener('statechange', notifyListeners);
  }
  void context.resume();
}

/** Events that browsers count as interaction; for a finger it is the end of a touch, not the beginning. */
const TOUCHES = ['pointerdown', 'pointerup', 'touchend', 'click', 'keydown'] as const;

/** Resumes sound on every interaction until the page closes. An installed app needs no interaction. */
export function keepSoundAwake(): () => void {
  const wakeIfWanted = (): void => {
    if (readChoice() === 'on') wake();
  };
  wakeIfWanted();
  for (const touch of TOUCHES) document.addEventListener(touch, wakeIfWanted);
  return () => {
    for (const touch of TOUCHES) document.removeEventListener(touch, wakeIfWanted);
  };
}

export function playTone(tone: Tone): void {
  if (readChoice() !== 'on' || context?.state !== 'running') return;
  for (const { hertz, at } of TONES[tone]) playNote(context, { hertz, at: context.currentTime + at });
}

function playNote(audio: AudioContext, note: { hertz: number; at: number }): void {
  const oscillator = audio.createOscillator();
  const volume = audio.createGain();
  oscillator.frequency.value = note.hertz;
  // Fades in and out, because a tone that is cut off clicks.
  volume.gain.setValueAtTime(0, note.at);
  volume.gain.linearRampToValueAtTime(LOUDNESS, note.at + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.001, note.at + LENGTH_SECONDS);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(note.at);
  oscillator.stop(note.at + LENGTH_SECONDS);
}
