;; nREPL as Clojure's own client speaks it: what it reads of the answers, a line for each.
(require '[nrepl.core :as nrepl])

(def port (Integer/parseInt (first *command-line-args*)))

(defn ask
  "All replies to a request, up to the last one."
  [client request]
  (doall (nrepl/message client request)))

(defn statuses [replies]
  (set (mapcat :status replies)))

(with-open [connection (nrepl/connect :host "127.0.0.1" :port port)
            other (nrepl/connect :host "127.0.0.1" :port port)]
  (let [client (nrepl/client connection 60000)
        id (nrepl/new-session client)
        session (nrepl/client-session client :session id)
        evaluate (fn [code] (ask session {:op "eval" :code code}))]
    (println "describes" (contains? (:ops (nrepl/combine-responses (ask client {:op "describe"}))) :eval))
    (println "values" (nrepl/response-values (evaluate "(define x 40) (list 1 \"é\")")))
    (println "combined" (pr-str (select-keys (nrepl/combine-responses (evaluate "(println \"out\") (+ x 2)")) [:out :value :status])))
    (println "error" (:ex (nrepl/combine-responses (evaluate "(car 5)"))))
    (let [endless (future (evaluate "(define f (lambda () (f))) (f)"))
          elsewhere (nrepl/client other 60000)]
      ;; It may come before what it interrupts.
      (while (contains? (statuses (ask elsewhere {:op "interrupt" :session id})) "session-idle"))
      (println "interrupted" (contains? (statuses @endless) "interrupted")))
    (let [reading (future (evaluate "(println (read-line))"))]
      (ask session {:op "stdin" :stdin "typed\n"})
      (println "read" (pr-str (:out (nrepl/combine-responses @reading)))))
    (println "closed" (sort (statuses (ask session {:op "close"}))))))
(shutdown-agents)
