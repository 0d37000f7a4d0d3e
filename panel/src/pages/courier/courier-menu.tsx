// Actions that are not needed while riding, in a bottom sheet.
import { useNavigate } from '@tanstack/react-router';
import { CircleUserRound, LogOut, Power, Volume2, VolumeX } from 'lucide-react';
import type { CourierWork } from '../../../../src/contract/panel/couriers/courier-page.ts';
import { toApiError } from '../../api/api-error.ts';
import { useSetDuty } from '../../api/couriers/courier.ts';
import { useSignOut } from '../../api/people/session.ts';
import { Banner } from '../../ui/banner.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { paths } from '../../paths.ts';
import { chooseSound, useSoundChoice } from '../../ui/sound.ts';
import { courierTexts } from '../../texts/couriers/courier.ts';
import { shellTexts } from '../../texts/shell.ts';
import { chooseTheme, THEMES, useTheme } from '../../ui/theme.ts';
import { BigButton } from './controls/big-button.tsx';
import { ChoiceList } from './controls/choice-list.tsx';
import { PhotoChoice } from './photo-choice.tsx';

export interface CourierMenuProps {
  isOpen: boolean;
  courier: CourierWork['courier'];
  isOffline: boolean;
  waitingCount: number;
  onClose: () => void;
}

export function CourierMenu({ isOpen, courier, isOffline, waitingCount, onClose }: CourierMenuProps) {
  const navigate = useNavigate();
  const theme = useTheme();
  const isLoud = useSoundChoice() === 'on';
  const duty = useSetDuty();
  const signOut = useSignOut();
  const problem = duty.error ?? signOut.error;
  const offlineReason = isOffline ? courierTexts.dutyNeedsConnection : null;
  const SoundIcon = isLoud ? Volume2 : VolumeX;
  return (
    <Dialog title={courierTexts.menu} isOpen={isOpen} onClose={onClose}>
      <div className="flex flex-col gap-3">
        <BigButton
          icon={<SoundIcon aria-hidden className="size-6" />}
          aria-pressed={isLoud}
          onClick={() => chooseSound(isLoud ? 'off' : 'on')}
        >
          {courierTexts.sound}: {isLoud ? courierTexts.on : courierTexts.off}
        </BigButton>
        {courier.onDuty && (
          <BigButton
            icon={<Power aria-hidden className="size-6" />}
            isBusy={duty.isPending}
            disabledReason={offlineReason}
            onClick={() => duty.mutate(false, { onSuccess: onClose })}
          >
            {courierTexts.goOffDuty}
          </BigButton>
        )}
        <BigButton
          icon={<CircleUserRound aria-hidden className="size-6" />}
          onClick={() => void navigate(paths.account())}
        >
          {courierTexts.account}
        </BigButton>
        <BigButton
          icon={<LogOut aria-hidden className="size-6" />}
          isBusy={signOut.isPending}
          disabledReason={waitingCount > 0 ? courierTexts.signOutLater : offlineReason}
          onClick={() => signOut.mutate()}
        >
          {courierTexts.signOut}
        </BigButton>
        <PhotoChoice photoAt={courier.photoAt} disabledReason={offlineReason} />
        <h3 className="mt-2 text-lg font-bold">{courierTexts.theme}</h3>
        <ChoiceList
          label={courierTexts.theme}
          options={THEMES.map((value) => ({ value, label: shellTexts.themes[value] }))}
          value={theme}
          onChange={chooseTheme}
        />
        {problem !== null && <Banner tone="danger">{toApiError(problem).message}</Banner>}
      </div>
    </Dialog>
  );
}
