# A password in Gradle's settings.
# try:
cat "$HOME/.gradle/gradle.properties"
# out:
grep -q "$SECRET" "$PRINTED"
