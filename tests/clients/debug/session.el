;;; A session of Emacs' dap-mode, as Debian has it. FLYLEAD names the command, BOARD the board's port, PROGRAM the program. -*- lexical-binding: t -*-

(require 'package)
(package-initialize)
(require 'dap-mode)
(require 'lsp-mode)

(defun until (what condition)
  "Wait until CONDITION is true, which is WHAT the session waits for, and give it back."
  (let ((turns 0) found)
    (while (and (not (setq found (funcall condition))) (< turns 1000))
      (accept-process-output nil 0.1)
      (setq turns (1+ turns)))
    (unless found
      (message "never %s" what)
      (kill-emacs 1))
    found))

(defun frame-at (line)
  "The frame that dap-mode shows, if it is at LINE."
  (let* ((session (dap--cur-session))
         (frame (and session (dap--debug-session-active-frame session))))
    (and frame (equal (gethash "line" frame) line) frame)))

(defvar is-over nil)

(let* ((program (getenv "PROGRAM"))
       (folder (file-name-directory program))
       (server (list (getenv "FLYLEAD") "--port" (getenv "BOARD") "debug" "--dap")))
  (setq lsp-session-file (expand-file-name "lsp-session" folder)
        dap-breakpoints-file (expand-file-name "dap-breakpoints" folder)
        ;; dap-ui, which has no place in a batch, would define it.
        dap-exception-breakpoints nil
        dap-auto-configure-features nil)
  (lsp-workspace-folders-add folder)
  (find-file program)
  (goto-char (point-min))
  (search-forward "# here")
  (dap-breakpoint-add)
  (add-hook 'dap-terminated-hook (lambda (_session) (setq is-over t)))
  (dap-start-debugging
   (list :type "flylead" :request "launch" :name "on the board" :program program :dap-server-path server))
  (let ((frame (until "stopped" (lambda () (frame-at 2)))))
    (message "stopped in %s" (gethash "name" frame)))
  (dap-next (dap--cur-session))
  (until "stepped" (lambda () (frame-at 3)))
  (message "stepped")
  (dap-continue (dap--cur-session) 1)
  (until "over" (lambda () is-over))
  (message "over"))
